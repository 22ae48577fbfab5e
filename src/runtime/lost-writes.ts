/**
 * The writes of one committer whose fate could not be found out in time.
 *
 * Owns their write ids, and one attempt at a time to find out about each. Does not decide when to try again: who verifies
 * a fenced scope does.
 *
 * Invariants:
 * - Nothing more of a scope is committed while a write of it is lost. A commit changes rows of one scope alone, so what
 *   other scopes commit meanwhile neither sees the lost write nor stands in its way.
 * - A write is known once its id was fenced: after that it is durable, or never will be.
 * - After a fatal failure nothing that the store says proves anything (a failed fsync may have lost what it acknowledged
 *   before), so nothing of any scope is committed until the process is restarted.
 */
import type { ScopeKey, WriteId } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Commit, UnitOfWork } from '../ports/stores/unit-of-work.ts'
import type { Log } from '../ports/telemetry.ts'
import { CommitHeld } from './commit-held.ts'
import { CommitLost } from './commit-lost.ts'
import { withDeadline } from './deadline.ts'

export interface LostWritesDeps {
  readonly unit: UnitOfWork
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds that one attempt may take. */
  readonly deadlineMs: number
  /** Told of each commit that turns out to be durable, before its author is. */
  readonly onCommitted: (commit: Commit) => void
}

interface LostWrite {
  readonly writeId: WriteId
  readonly commits: readonly Commit[]
  readonly error: CommitLost
  readonly tell: (outcome: 'committed' | 'absent') => void
  attempt: Promise<void> | undefined
}

export class LostWrites {
  readonly #deps: LostWritesDeps
  readonly #writes = new Map<WriteId, LostWrite>()
  /** Why the store is not trusted any more. */
  #distrust: CommitLost | undefined

  constructor(deps: LostWritesDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#writes.size
  }

  /** Holds the scopes of these commits from now on. What to tell their authors. */
  add(writeId: WriteId, commits: readonly Commit[], cause: unknown): CommitLost {
    const { promise, resolve: tell } = Promise.withResolvers<'committed' | 'absent'>()
    const error = new CommitLost(promise, cause)
    this.#writes.set(writeId, { writeId, commits, error, tell, attempt: undefined })
    return error
  }

  /** Holds all scopes until the process ends. What to tell the authors of these commits. */
  distrust(writeId: WriteId, commits: readonly Commit[], cause: unknown): CommitLost {
    const error = this.add(writeId, commits, cause)
    this.#distrust ??= error
    return error
  }

  /** Why nothing of the scope may be committed now; undefined when it may. */
  holding(scopeKey: ScopeKey): CommitHeld | undefined {
    const error = this.#distrust ?? this.#of(scopeKey)[0]?.error
    return error && new CommitHeld(scopeKey, error)
  }

  /** Asks the store for the fate of each lost write of the scope, once. Rejects while any of them is unknown. */
  async resolve(scopeKey: ScopeKey): Promise<void> {
    if (this.#distrust) throw new Error('The store cannot be trusted any more: restart the server.', { cause: this.#distrust })
    const attempts = await Promise.allSettled(this.#of(scopeKey).map((write) => this.#ask(write)))
    const failures = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []))
    if (failures.length > 0) throw new AggregateError(failures, 'The fate of a write is still unknown.')
  }

  #of(scopeKey: ScopeKey): readonly LostWrite[] {
    const isAbout = (commit: Commit): boolean => commit.scopeKey === scopeKey
    return [...this.#writes.values()].filter(({ commits }) => commits.some(isAbout))
  }

  /** Whoever asks for a write at the same time shares the attempt. */
  #ask(write: LostWrite): Promise<void> {
    write.attempt ??= this.#attempt(write).finally(() => {
      write.attempt = undefined
    })
    return write.attempt
  }

  async #attempt({ writeId, commits, tell }: LostWrite): Promise<void> {
    const { unit, clock, log, deadlineMs, onCommitted } = this.#deps
    const outcome = await withDeadline(clock, deadlineMs, () => unit.outcomeOf(writeId))
    log.warn({ writeId, outcome }, 'the fate of a lost commit is known')
    this.#writes.delete(writeId)
    if (outcome === 'committed') for (const commit of commits) onCommitted(commit)
    tell(outcome)
  }
}
