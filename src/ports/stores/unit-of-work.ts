import type { ScopeKey, WriteId } from '../../kernel/ids.ts'
import type { EventDraft } from '../../domain/event/event.ts'
import type { StructureChange } from '../../domain/deletion/tombstone.ts'
import type { NewSession, RollUp, RowWrite, SessionWrite } from '../../domain/session/writes.ts'

/** One change of one scope: all of it, or nothing. */
export interface Commit {
  readonly scopeKey: ScopeKey
  /** Sessions that it creates; each is one structural change and raises the scope's revision by one. */
  readonly created: readonly NewSession[]
  /** Sessions whose content it changes, each under its compare-and-set. */
  readonly sessions: readonly SessionWrite[]
  readonly rollUps: readonly RollUp[]
  readonly rows: readonly RowWrite[]
  /** What it changes of the structure apart from that: one structural change. The group has no other commit then. */
  readonly structure?: StructureChange
  /** The events that report it, in order. */
  readonly events: readonly EventDraft[]
}

/** What the store numbered. */
export interface Committed {
  /** The sequence of the commit's first event; the others follow without a gap. */
  readonly firstSequence: number
  /** The scope revision of its first structural change; the others follow. */
  readonly firstRevision: number
}

/**
 * Commits changes of several repositories atomically.
 *
 * Laws:
 * - The group is one transaction: all commits of it are durable, or none.
 * - A commit whose compare-and-set misses fails the whole group with `StoreFailure('conflict')`, or `'fenced'` when the
 *   epoch is the reason. Nothing has changed then; the caller splits the group.
 * - A new session whose id lives already fails it with `conflict`; so does a row that exists already. Changing a row that
 *   does not exist fails it too.
 * - So does a child whose parent does not live, and a session whose id is a tombstone's. A new child, and a reservation, raise
 *   `changes` of all sessions above it; a reservation misses if `changes` of its top, or a member, is not as it says, and a
 *   finish if its group is not.
 * - Events are numbered without gaps, in the order of the group, in the same transaction.
 * - `writeId` is recorded in the transaction. `outcomeOf(writeId)` excludes the transaction if it has not been committed:
 *   after the answer `absent` it never will be.
 *
 * In return a group changes each session in at most one of its commits, and a commit each row at most once, but
 * for a grant, which it may delete and then insert again.
 */
export interface UnitOfWork {
  commit(writeId: WriteId, group: readonly Commit[]): Promise<readonly Committed[]>
  /** Resolves an uncertain commit by fencing it. Waits for the transaction if it is still under way. */
  outcomeOf(writeId: WriteId): Promise<'committed' | 'absent'>
  /** Forgets the records of commits older than `before`, at most `limit` of them. Returns how many. */
  forget(before: number, limit: number): Promise<number>
}
