/**
 * Turns what was decided about a session's content into the commit that makes it durable.
 *
 * - The session's row is written under the compare-and-set of the content that the decision saw, one revision on.
 * - Each row is written once: several changes of it become the last one, a change of a new row becomes part of its
 *   insert. Of a grant the last thing counts too, but what was deleted first stays deleted before it is inserted.
 * - A part that is complete keeps no chunks, neither older ones nor those of the same commit.
 * - Public events keep the order of the events that they report.
 */
import type { EventDraft } from '../domain/event/event.ts'
import { announcementsOf } from '../domain/session/announce.ts'
import { type Content, type ContentEvent, evolve } from '../domain/session/content.ts'
import { rollUpsOf, writesOf } from '../domain/session/project.ts'
import type { RollUp, RowWrite, SessionWrite } from '../domain/session/writes.ts'
import type { Commit } from '../ports/stores/unit-of-work.ts'

/** The commit, and the content as it is once the commit is durable. Never fails. */
export function commitOf(
  content: Content,
  events: readonly ContentEvent[],
): { readonly commit: Commit; readonly after: Content } {
  let state = content
  const rows: RowWrite[] = []
  const rollUps: RollUp[] = []
  const drafts: EventDraft[] = []
  for (const event of events) {
    rows.push(...writesOf(state, event))
    rollUps.push(...rollUpsOf(state, event))
    drafts.push(...announcementsOf(state, event))
    state = evolve(state, event)
  }
  const { scopeKey, revision, epoch, title } = content.session
  const expected = { revision, epoch, title }
  const session: SessionWrite = { row: { ...state.session, revision: revision + 1 }, expected }
  return {
    commit: { scopeKey, created: [], sessions: [session], rollUps, rows: merged(rows), events: drafts },
    after: { ...state, session: session.row },
  }
}

function merged(writes: readonly RowWrite[]): readonly RowWrite[] {
  const kept = new Map<string, RowWrite>()
  for (const write of writes) {
    const key = rowKey(write)
    if (write.op === 'fold') {
      for (const other of kept.keys()) if (other.startsWith(`${key}/`)) kept.delete(other)
      if (kept.get(key.replace('chunk', 'part'))?.op === 'insert') continue
    }
    if (write.op === 'delete') kept.delete(rowKey({ ...write, op: 'insert' }))
    const earlier = kept.get(key)
    if (earlier?.op !== 'insert') kept.delete(key)
    kept.set(key, joined(earlier, write))
  }
  return [...kept.values()]
}

function joined(earlier: RowWrite | undefined, later: RowWrite): RowWrite {
  if (earlier?.op !== 'insert' || later.op !== 'update') return later
  if (later.table !== 'entry') return { ...later, op: 'insert' }
  return earlier.table === 'entry' ? { ...earlier, row: later.row } : later
}

/** Names a row among those of one session. */
function rowKey(write: RowWrite): string {
  switch (write.table) {
    case 'entry':
    case 'run':
    case 'permission':
    case 'execution':
      return `${write.table}/${write.row.ordinal}`
    case 'message':
    case 'log':
      return `${write.table}/${write.row.index}`
    case 'part':
      return `part/${write.row.messageIndex}/${write.row.partIndex}`
    case 'chunk': {
      const part = `chunk/${write.row.messageIndex}/${write.row.partIndex}`
      return write.op === 'fold' ? part : `${part}/${write.row.offset}`
    }
    case 'grant':
      return `grant/${write.op}/${write.row.rememberKey}`
    case 'request':
      return `request/${write.row.owner}/${write.row.clientRequestId}`
  }
}
