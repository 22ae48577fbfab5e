/**
 * Retires scopes: ends everything that goes on in one, and forgets it. What is stored stays.
 *
 * Owns the one retirement of a scope that is under way; whoever asks meanwhile shares it. One that fails leaves the scope
 * refusing work, and the next call goes on with it. A fence joins it: what is stored has to be verified before anything
 * of it can be cancelled.
 *
 * Why nothing is missed: from the first line on no work is submitted (see `ScopeLife`). What had been submitted before is
 * answered, and so is in the store, before the store is asked what is left.
 */
import { fencedRefusal, fenceOf } from '../domain/scope/lifecycle.ts'
import type { ScopeKey } from '../kernel/ids.ts'
import { type Answer, done, no, type RefusalOf } from '../kernel/refusal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Committers } from './committers.ts'
import type { Deletions } from './deletions.ts'
import type { Fences } from './fences.ts'
import type { Orphans } from './orphans.ts'
import type { ScopeLife } from './scope-life.ts'
import type { ScopeLives } from './scope-lives.ts'
import type { Sessions } from './sessions.ts'
import { together } from './together.ts'

export interface RetirementsDeps {
  readonly lives: ScopeLives
  readonly fences: Fences
  readonly committers: Committers
  readonly sessions: Sessions
  readonly deletions: Deletions
  readonly orphans: Orphans
  readonly clock: Clock
  readonly log: Log
  /** Called in the turn in which the scope is retired. */
  readonly onRetired: (scopeKey: ScopeKey) => void
}

type Retired = Answer<null, RefusalOf<'SCOPE_FENCED'>>

/** Milliseconds that a retirement waits for a fence to be lifted. */
const PATIENCE_MS = 30_000
const PAGE = 100

export class Retirements {
  readonly #deps: RetirementsDeps
  readonly #running = new Map<ScopeLife, Promise<Retired>>()

  constructor(deps: RetirementsDeps) {
    this.#deps = deps
  }

  /**
   * Retires the scope. Refuses when it is fenced and stays so: then nothing was cancelled, and the scope takes no work.
   * Throws all that failed when something did.
   */
  retire(scopeKey: ScopeKey, by: string): Promise<Retired> {
    const life = this.#deps.lives.of(scopeKey)
    const known = this.#running.get(life)
    if (known) return known
    const running = this.#retire(life, by).finally(() => this.#running.delete(life))
    this.#running.set(life, running)
    return running
  }

  /** Resolves when no retirement is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }

  async #retire(life: ScopeLife, by: string): Promise<Retired> {
    const { fences, log } = this.#deps
    const { scopeKey } = life
    const failures: unknown[] = []
    life.apply({ type: 'retire' })
    while (life.state.kind !== 'retired') {
      await fences.lifted(life, PATIENCE_MS)
      const fence = fenceOf(life.state)
      if (fence && failures.length === 0) return no(fencedRefusal(fence))
      if (fence) throw together([...failures, ...fences.failuresOf(life)], 'The scope could not be retired.')
      try {
        await this.#empty(scopeKey, by)
        life.apply({ type: 'finish' })
      } catch (error) {
        failures.push(error)
        // A fence that a lost commit has raised still stands: it is not lifted before each session that is busy has done
        // what it was asked for. It is waited for, and then everything is tried again.
        if (!fenceOf(life.state)) throw together(failures, 'The scope could not be retired.')
      }
    }
    this.#deps.onRetired(scopeKey)
    log.info({ scopeKey, by, ...(failures.length > 0 && { err: together(failures) }) }, 'a scope was retired')
    return done(null)
  }

  /** Resolves when nothing waits or runs in the scope. Rejects with all that failed. */
  async #empty(scopeKey: ScopeKey, by: string): Promise<void> {
    const { committers, sessions, deletions, clock } = this.#deps
    await committers.answered(scopeKey)
    for (let busy = await sessions.busy(scopeKey); busy.length > 0; busy = await sessions.busy(scopeKey)) {
      const request = { kind: 'retired', message: 'The scope was retired.', by, at: clock.now() } as const
      for (let i = 0; i < busy.length; i += PAGE) {
        const cancelled = busy.slice(i, i + PAGE).map((key) => sessions.cancelAll(key, request))
        throwFailures(await Promise.allSettled(cancelled))
      }
      await sessions.drained(scopeKey)
      await this.#release(scopeKey)
    }
    const unfinished = await deletions.finishAll(scopeKey)
    if (unfinished.length > 0) throw together(unfinished)
    await this.#release(scopeKey)
  }

  /** Releases what runs have left, also those that ended long ago. Rejects with all that failed. */
  async #release(scopeKey: ScopeKey): Promise<void> {
    const unreleased = await this.#deps.orphans.release({ scopeKey })
    if (unreleased.length > 0) throw together(unreleased)
  }
}

function throwFailures(results: readonly PromiseSettledResult<void>[]): void {
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (failures.length > 0) throw together(failures)
}
