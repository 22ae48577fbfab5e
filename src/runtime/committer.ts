/**
 * Makes commits durable, in groups: whatever arrives while a group is in flight becomes the next one.
 *
 * Owns the queue of commits, the group in flight and the resolution of what the store could not tell. There is one per
 * storage key, or one per database where the database serialises writers anyway.
 *
 * Invariants:
 * - Nobody is answered before it is known whether his commit is durable.
 * - A member that fails never fails the others: the group is split and each is tried alone.
 * - An uncertain commit is resolved by fencing its write id, never by a bare read. If it cannot be resolved within its
 *   deadline, or the store cannot be trusted, it is lost: see `LostWrites`. Nothing more of its scopes is committed until
 *   its fate is known; other scopes go on.
 * - Everybody is answered within the deadlines of a commit and of its resolution, counted from when he submitted it:
 *   what has little left of the first is not begun, or repeated, any more.
 * - Commits of one session keep their order, since a session has at most one in flight.
 */
import { asWriteId, type ScopeKey, type SessionKey, type WriteId } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { type FailureClass, failureClassOf, StoreFailure } from '../ports/stores/failure.ts'
import type { Commit, Committed, UnitOfWork } from '../ports/stores/unit-of-work.ts'
import type { Log } from '../ports/telemetry.ts'
import type { CommitLost } from './commit-lost.ts'
import { withDeadline } from './deadline.ts'
import { LostWrites } from './lost-writes.ts'

/** What the committer knows of a durable commit; `unnumbered` when only its write id could be confirmed. */
export type CommitOutcome = Committed | 'unnumbered'

export interface CommitterDeps {
  readonly unit: UnitOfWork
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Told of every durable commit before its author is. */
  readonly onCommitted: (commit: Commit, outcome: CommitOutcome) => void
  /** Told of the scopes of a lost commit before its authors are. */
  readonly onLost?: (scopes: ReadonlySet<ScopeKey>, error: CommitLost) => void
  readonly policy?: Partial<CommitPolicy>
}

export interface CommitPolicy {
  /** Commits per group. */
  readonly maxGroup: number
  /** Milliseconds from submitting a commit until it counts as uncertain, or is given up if it is not under way. */
  readonly commitDeadlineMs: number
  /** Milliseconds within which an uncertain commit must be resolved. */
  readonly resolveDeadlineMs: number
  /** How often a commit that is known not to have happened is repeated. */
  readonly maxRepeats: number
}

const defaultPolicy: CommitPolicy = { maxGroup: 64, commitDeadlineMs: 15_000, resolveDeadlineMs: 30_000, maxRepeats: 5 }

interface Pending {
  readonly commit: Commit
  /** Until when the store may take it, on the monotonic clock. */
  readonly deadline: number
  /** Settles when its author is answered. */
  readonly answer: Promise<CommitOutcome>
  readonly settle: (outcome: CommitOutcome) => void
  readonly fail: (error: StoreFailure) => void
}

type Attempt =
  | { readonly kind: 'committed'; readonly outcomes: readonly CommitOutcome[] }
  | { readonly kind: 'failed'; readonly error: StoreFailure }
  | { readonly kind: 'lost'; readonly error: CommitLost }

const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 1_000
/** Of the deadline of a commit. What has less left would only become uncertain. */
const LEAST_SHARE = 0.25

export class Committer {
  readonly #deps: CommitterDeps
  readonly #policy: CommitPolicy
  readonly #lost: LostWrites
  readonly #queue: Pending[] = []
  readonly #unanswered = new Set<Pending>()
  #working: Promise<void> | undefined

  constructor(deps: CommitterDeps) {
    this.#deps = deps
    this.#policy = { ...defaultPolicy, ...deps.policy }
    const { unit, clock, log, onCommitted } = deps
    this.#lost = new LostWrites({
      unit,
      clock,
      log,
      deadlineMs: this.#policy.resolveDeadlineMs,
      onCommitted: (commit) => onCommitted(commit, 'unnumbered'),
    })
  }

  /** True while the fate of every commit is known. */
  get isHealthy(): boolean {
    return this.#lost.size === 0
  }

  /**
   * Resolves when the commit is durable. Rejects with a `StoreFailure`, never an uncertain one: `CommitLost` when it is not
   * known in time whether it is durable, anything else when nothing changed.
   */
  submit(commit: Commit): Promise<CommitOutcome> {
    const { promise: answer, resolve: settle, reject: fail } = Promise.withResolvers<CommitOutcome>()
    const deadline = this.#deps.clock.monotonic() + this.#policy.commitDeadlineMs
    const pending = { commit, deadline, answer, settle, fail }
    this.#queue.push(pending)
    this.#unanswered.add(pending)
    this.#working ??= this.#work()
    return answer
  }

  /** Resolves when the authors of all commits of the scope that were submitted until now have been answered. */
  async answered(scopeKey: ScopeKey): Promise<void> {
    const pending = [...this.#unanswered].filter(({ commit }) => commit.scopeKey === scopeKey)
    await Promise.allSettled(pending.map(({ answer }) => answer))
  }

  /** Whether a lost commit holds the scope. */
  holds(scopeKey: ScopeKey): boolean {
    return this.#lost.holding(scopeKey) !== undefined
  }

  /** Asks once for the fate of what was lost of the scope. Rejects while it is unknown. */
  resolve(scopeKey: ScopeKey): Promise<void> {
    return this.#lost.resolve(scopeKey)
  }

  /** Resolves when everything that was submitted has been answered. */
  async drain(): Promise<void> {
    while (this.#working) await this.#working
  }

  async #work(): Promise<void> {
    try {
      // Lets everybody who runs in this turn of the event loop join the first group.
      await Promise.resolve()
      while (this.#queue.length > 0) await this.#settleGroup(this.#nextGroup())
    } finally {
      this.#working = undefined
    }
  }

  #nextGroup(): readonly Pending[] {
    const sessions = new Set<SessionKey>()
    let size = 0
    for (const { commit } of this.#queue.slice(0, this.#policy.maxGroup)) {
      if (commit.structure) return this.#queue.splice(0, Math.max(size, 1))
      if (commit.sessions.some(({ row }) => sessions.has(row.key))) break
      for (const { row } of commit.sessions) sessions.add(row.key)
      size++
    }
    return this.#queue.splice(0, size)
  }

  async #settleGroup(members: readonly Pending[]): Promise<void> {
    const group = members.filter((member) => !this.#failHeld(member))
    if (group.length === 0) return
    const attempt = await this.#attempt(group)
    if (attempt.kind === 'committed') return this.#settle(group, attempt.outcomes)
    const [only] = group
    if (attempt.kind === 'lost') for (const member of group) this.#fail(member, attempt.error)
    else if (group.length === 1 && only) this.#fail(only, attempt.error)
    else for (const member of group) await this.#settleGroup([member])
  }

  #failHeld(member: Pending): boolean {
    const held = this.#lost.holding(member.commit.scopeKey)
    if (held) this.#fail(member, held)
    return held !== undefined
  }

  #fail(member: Pending, error: StoreFailure): void {
    this.#unanswered.delete(member)
    member.fail(error)
  }

  #settle(group: readonly Pending[], outcomes: readonly CommitOutcome[]): void {
    for (const [index, member] of group.entries()) {
      const outcome = outcomes[index] ?? 'unnumbered'
      this.#deps.onCommitted(member.commit, outcome)
      this.#unanswered.delete(member)
      member.settle(outcome)
    }
  }

  /** Commits a group. What is known not to have happened for a passing reason is tried again. */
  async #attempt(group: readonly Pending[]): Promise<Attempt> {
    for (let tries = 1; ; tries++) {
      const left = Math.min(...group.map(({ deadline }) => deadline)) - this.#deps.clock.monotonic()
      if (left < LEAST_SHARE * this.#policy.commitDeadlineMs) return { kind: 'failed', error: notFreeInTime() }
      const attempt = await this.#try(group, left)
      if (attempt.kind !== 'failed' || !isPassing(attempt.error.failure)) return attempt
      if (group.length > 1 || tries > this.#policy.maxRepeats) return attempt
      await this.#deps.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS))
    }
  }

  async #try(group: readonly Pending[], deadlineMs: number): Promise<Attempt> {
    const { unit, clock, ids, log } = this.#deps
    const writeId = asWriteId(ids.uuid())
    try {
      const commits = group.map(({ commit }) => commit)
      const call = withDeadline(clock, deadlineMs, () => unit.commit(writeId, commits))
      return { kind: 'committed', outcomes: await call }
    } catch (error) {
      const failure = failureClassOf(error)
      if (failure !== 'conflict' && failure !== 'fenced') log.warn({ err: error, failure, writeId }, 'a commit failed')
      if (failure === 'uncertain') return this.#resolve(writeId, group)
      if (failure === 'fatal') return this.#lose(writeId, group, { cause: error, fate: 'distrust' })
      return { kind: 'failed', error: new StoreFailure(failure, 'The commit failed.', error) }
    }
  }

  async #resolve(writeId: WriteId, group: readonly Pending[]): Promise<Attempt> {
    const { unit, clock, log } = this.#deps
    const deadline = clock.monotonic() + this.#policy.resolveDeadlineMs
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const left = Math.max(1, deadline - clock.monotonic())
        const outcome = await withDeadline(clock, left, () => unit.outcomeOf(writeId))
        log.warn({ writeId, outcome }, 'an uncertain commit was resolved')
        if (outcome === 'committed') return { kind: 'committed', outcomes: group.map(() => 'unnumbered') }
        return { kind: 'failed', error: new StoreFailure('notCommitted', 'The commit was lost on its way.') }
      } catch (error) {
        if (clock.monotonic() >= deadline) return this.#lose(writeId, group, { cause: error, fate: 'add' })
      }
      await clock.sleep(pause)
    }
  }

  #lose(writeId: WriteId, group: readonly Pending[], { cause, fate }: { cause: unknown; fate: 'add' | 'distrust' }): Attempt {
    const commits = group.map(({ commit }) => commit)
    const error = this.#lost[fate](writeId, commits, cause)
    this.#deps.log.error({ writeId, err: cause }, 'a commit is lost: its scopes take no more until its fate is known')
    this.#deps.onLost?.(new Set(commits.map(({ scopeKey }) => scopeKey)), error)
    return { kind: 'lost', error }
  }
}

const notFreeInTime = (): StoreFailure => new StoreFailure('notCommitted', 'The store was not free in time.')

const isPassing = (failure: FailureClass): boolean => failure === 'notCommitted'
