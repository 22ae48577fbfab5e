/**
 * Fences scopes and lifts their fences again.
 *
 * Owns, per fenced scope, the one restoration under way and the failures that led to it. A restoration goes on until what
 * is stored of the scope has been verified, with growing pauses, or until it is stopped:
 *
 *     the fate of every lost commit is known → runs have ended → nothing is cached → runs that nobody executes
 *     are ended → the events are durable → work is taken again
 *
 * Nobody waits for himself: raising a fence only begins the restoration, which waits for runs, and no run waits for it.
 * Runs are all stopped before any is awaited, so it does not matter which of them wait for each other.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import { SCOPE_ITSELF } from '../domain/event/event.ts'
import { fencedOff } from '../domain/run/outcome.ts'
import { type Fence, fenceOf } from '../domain/scope/lifecycle.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/telemetry.ts'
import { CommitLost } from './commit-lost.ts'
import type { Committers } from './committers.ts'
import { NotThereYet } from './not-there-yet.ts'
import type { Orphans } from './orphans.ts'
import { raced } from './run/raced.ts'
import type { ScopeLife } from './scope-life.ts'
import type { ScopeLives } from './scope-lives.ts'
import { fencedRun, type Sessions } from './sessions.ts'
import { together } from './together.ts'

export interface FencesDeps {
  readonly lives: ScopeLives
  readonly committers: Committers
  readonly sessions: Sessions
  readonly orphans: Orphans
  readonly clock: Clock
  readonly log: Log
  /** Called in the turn in which the scope takes work again. */
  readonly onRestored: (scopeKey: ScopeKey) => void
}

interface Restoration {
  readonly failures: unknown[]
  /** The one attempt under way, also when nobody waits for it any more. */
  attempt: Promise<boolean> | undefined
  /** `told` once its events are durable. */
  announcement: 'untold' | CommitLost | 'told'
  done: Promise<void>
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 30_000
/** The first failures of a fence are kept for its report; a store may fail for days. */
const MOST_FAILURES = 100

export class Fences {
  readonly #deps: FencesDeps
  readonly #restorations = new Map<ScopeLife, Restoration>()
  /** Ends of pauses that are under way. */
  readonly #pauses = new Set<() => void>()
  #stop = new AbortController()

  constructor(deps: FencesDeps) {
    this.#deps = deps
  }

  /** Fences the scope, for a reason that clients may read, and begins to restore it. Returns at once. */
  raise(scopeKey: ScopeKey, reason: string, cause?: unknown): void {
    const { lives, sessions, clock, log } = this.#deps
    const life = lives.of(scopeKey)
    life.apply({ type: 'fence', fence: { since: clock.now(), reason } })
    const fence = fenceOf(life.state)
    if (!fence) return
    log.error({ scopeKey, reason, ...(cause !== undefined && { err: cause }) }, 'a scope is fenced')
    sessions.stopFenced(scopeKey, fence)
    const { failures } = this.#restorationOf(life)
    if (failures.length < MOST_FAILURES) failures.push(cause ?? new Error(reason))
  }

  /** Resolves when no fence stands over the scope, or when `ms` have passed, or when restoring was stopped. */
  async lifted(life: ScopeLife, ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.after(ms, resolve)
    await Promise.race([this.#restorations.get(life)?.done, late])
    cancel()
  }

  /** The failures for which the scope is fenced. */
  failuresOf(life: ScopeLife): readonly unknown[] {
    return this.#restorations.get(life)?.failures ?? []
  }

  /** Resolves when no restoration is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#restorations.values()].map(({ done }) => done))
  }

  /** Stops restoring. The fences stand. */
  stop(): void {
    this.#stop.abort()
    this.#endPauses()
  }

  /** Tries again at once, also what was stopped. */
  hurry(): void {
    this.#endPauses()
    if (!this.#stop.signal.aborted) return
    this.#stop = new AbortController()
    for (const [life, restoration] of this.#restorations) restoration.done = this.#restore(life, restoration)
  }

  /** For each fence that stands, why. */
  standing(): readonly Error[] {
    return [...this.#restorations].map(
      ([{ scopeKey }, { failures }]) =>
        new Error(`The scope ${scopeKey} is still fenced.`, { cause: together(failures) }),
    )
  }

  #restorationOf(life: ScopeLife): Restoration {
    const known = this.#restorations.get(life)
    if (known) return known
    const restoration: Restoration = { failures: [], attempt: undefined, announcement: 'untold', done: Promise.resolve() }
    this.#restorations.set(life, restoration)
    restoration.done = this.#restore(life, restoration)
    return restoration
  }

  async #restore(life: ScopeLife, restoration: Restoration): Promise<void> {
    const { log } = this.#deps
    const { signal } = this.#stop
    const { scopeKey } = life
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        restoration.attempt ??= this.#verify(life, restoration).finally(() => {
          restoration.attempt = undefined
        })
        if (await raced(signal, restoration.attempt)) return
      } catch (error) {
        if (!signal.aborted) log.warn({ scopeKey, err: error }, 'a fenced scope could not be verified yet')
      }
      if (!signal.aborted) await this.#pause(pause)
      if (signal.aborted) return
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.after(ms, resolve)
    this.#pauses.add(resolve)
    await promise
    this.#pauses.delete(resolve)
    cancel()
  }

  #endPauses(): void {
    for (const end of this.#pauses) end()
  }

  /** Lifts the fence and goes on with the queues, unless a commit was lost meanwhile. */
  async #verify(life: ScopeLife, restoration: Restoration): Promise<boolean> {
    const { committers, sessions, orphans } = this.#deps
    const { scopeKey } = life
    const fence = fenceOf(life.state)
    if (!fence) return true
    await committers.resolve(scopeKey)
    await committers.answered(scopeKey)
    await sessions.drained(scopeKey)
    sessions.dropIn(scopeKey)
    const unreleased = await orphans.release({ scopeKey })
    // What an application never hands out must not hold the scope for ever.
    const failures = unreleased.filter(({ cause }) => !(cause instanceof NotThereYet))
    if (failures.length > 0) throw together(failures)
    const busy = await sessions.busy(scopeKey)
    for (const key of busy) await sessions.end(key, fencedOff(fencedRun(fence)))
    await this.#announce(scopeKey, fence, restoration)
    if (committers.holds(scopeKey)) return false
    this.#lift(life, restoration)
    this.#deps.onRestored(scopeKey)
    if (life.refusal === undefined) for (const key of busy) await sessions.consider(key)
    return true
  }

  #lift(life: ScopeLife, { failures }: Restoration): void {
    life.apply({ type: 'restore' })
    this.#restorations.delete(life)
    this.#deps.log.warn({ scopeKey: life.scopeKey, err: together(failures) }, 'a scope is verified and no longer fenced')
  }

  /** Makes the events durable, once. */
  async #announce(scopeKey: ScopeKey, { since, reason }: Fence, restoration: Restoration): Promise<void> {
    const { announcement } = restoration
    if (announcement === 'told') return
    if (announcement !== 'untold' && (await announcement.outcome) === 'committed') {
      restoration.announcement = 'told'
      return
    }
    const events = [
      { sessionKey: SCOPE_ITSELF, timestamp: since, body: { type: 'scope.fenced', reason } },
      { sessionKey: SCOPE_ITSELF, timestamp: this.#deps.clock.now(), body: { type: 'scope.restored', fencedAt: since } },
    ] as const
    try {
      await this.#deps.committers.submit({ scopeKey, created: [], sessions: [], rollUps: [], rows: [], events })
      restoration.announcement = 'told'
    } catch (error) {
      if (error instanceof CommitLost) restoration.announcement = error
      throw error
    }
  }
}
