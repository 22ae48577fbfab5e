/**
 * What should have been released and could not be.
 *
 * Owns each such thing until it was released, exactly once. Whoever closes, retires, restores or deletes what it belongs
 * to tries again; tries at the same time share one attempt. None is forgotten, and one that fails again stays.
 */
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'

export interface Orphan {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  /** For the operator, such as `the end of the run 1`. */
  readonly what: string
  /** Resolves when it is released. May be called again when it failed. */
  release(): Promise<void>
}

interface Kept {
  readonly orphan: Orphan
  attempt: Promise<void> | undefined
}

export class Orphans {
  readonly #kept = new Set<Kept>()

  get size(): number {
    return this.#kept.size
  }

  add(orphan: Orphan): void {
    this.#kept.add({ orphan, attempt: undefined })
  }

  /** Tries to release everything that belongs to the scope or the session, or all there is. What failed; never rejects. */
  async release(owner: Partial<Pick<Orphan, 'scopeKey' | 'sessionKey'>> = {}): Promise<readonly Error[]> {
    const { scopeKey, sessionKey } = owner
    const concerned = [...this.#kept].filter(
      ({ orphan }) =>
        (scopeKey === undefined || orphan.scopeKey === scopeKey) &&
        (sessionKey === undefined || orphan.sessionKey === sessionKey),
    )
    const attempts = await Promise.allSettled(concerned.map((kept) => this.#attempt(kept)))
    return attempts.flatMap((attempt, i) =>
      attempt.status === 'rejected'
        ? [new Error(`Could not release ${concerned[i]?.orphan.what}.`, { cause: attempt.reason })]
        : [],
    )
  }

  #attempt(kept: Kept): Promise<void> {
    kept.attempt ??= this.#release(kept).finally(() => {
      kept.attempt = undefined
    })
    return kept.attempt
  }

  async #release(kept: Kept): Promise<void> {
    await kept.orphan.release()
    this.#kept.delete(kept)
  }
}
