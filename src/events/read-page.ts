import type { EventPage, EventsQuery, EventStore } from '../ports/stores/events.ts'
import { CursorExpired } from '../ports/subscriptions.ts'

export type EventLog = Pick<EventStore, 'bounds' | 'read'>

export interface CheckedPage extends EventPage {
  /** The newest sequence of the log, seen after the page was read. */
  readonly head: number
}

/**
 * One page of the log. Rejects with `CursorExpired` when events after `query.after` have been removed: the floor
 * rises in the transaction that removes them, so a floor that is low enough after the page was read was low enough
 * before.
 */
export async function readPage(log: EventLog, query: EventsQuery): Promise<CheckedPage> {
  const page = await log.read(query)
  const { head, floor } = await log.bounds(query.scopeKey)
  if (query.after < floor) throw expired(query.after, floor)
  return { ...page, head }
}

export const expired = (after: number, floor: number): CursorExpired =>
  new CursorExpired(`Events after ${after} are no longer kept: the log begins after ${floor}.`)
