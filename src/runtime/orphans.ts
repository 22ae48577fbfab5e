/**
 * What should have been released and could not be, and the leases of delegated runs, which are here from the first.
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

  /** Keeps it. The result tries to release this one alone, and rejects when that fails. */
  add(orphan: Orphan): () => Promise<void> {
    const kept: Kept = { orphan, attempt: undefined }
    this.#kept.add(kept)
    return () => this.#attempt(kept)
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

  async #attempt(kept: Kept): Promise<void> {
    if (!this.#kept.has(kept)) return
    kept.attempt ??= this.#release(kept).finally(() => {
      kept.attempt = undefined
    })
    await kept.attempt
  }

  async #release(kept: Kept): Promise<void> {
    await kept.orphan.release()
    this.#kept.delete(kept)
  }
}
