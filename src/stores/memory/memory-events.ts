/**
 * The event logs of all scopes. A log holds the sequences in `(floor, head]` without gaps; an event that was erased
 * with its session keeps its number. Rows are added by the unit of work alone.
 */
import type { HarnessEvent } from '../../domain/event/event.ts'
import { isWithin } from '../../domain/session/session.ts'
import type { EventFilter, EventStore } from '../../ports/stores/events.ts'
import { type EventRow, eventsOfSession, eventsOfTree, type MemoryTables } from './memory-tables.ts'

/** Rows that one read looks at. */
const MAX_SCAN = 1000

export function memoryEvents({ journal, scopes, events }: MemoryTables): EventStore {
  const boundsOf = (scopeKey: number) => {
    const { sequence: head, floor } = scopes.byId(String(scopeKey)) ?? { sequence: 0, floor: 0 }
    return { head, floor }
  }
  /** The rows after `start`, and one more than one read looks at. */
  const stretch = (scopeKey: number, start: number, head: number): readonly EventRow[] => {
    const length = Math.max(0, Math.min(head - start, MAX_SCAN + 1))
    return Array.from({ length }, (_, i) => events.get(scopeKey, start + 1 + i)).filter((row) => row !== undefined)
  }
  const ofSession = (scopeKey: number, session: OneSession, start: number): readonly EventRow[] => {
    const { path, includeDescendants } = session
    return events
      .in(includeDescendants ? eventsOfTree(scopeKey, path) : eventsOfSession(scopeKey, path))
      .filter(({ sequence }) => sequence > start)
      .toSorted((a, b) => a.sequence - b.sequence)
  }
  return {
    async bounds(scopeKey) {
      return boundsOf(scopeKey)
    },

    async read({ scopeKey, filter, after, limit }) {
      const { head, floor } = boundsOf(scopeKey)
      const start = Math.max(after, floor)
      const rows = filter.session ? ofSession(scopeKey, filter.session, start) : stretch(scopeKey, start, head)
      const scanned = rows.slice(0, MAX_SCAN)
      const found = scanned.filter(hasBody).filter(matches(filter)).slice(0, limit)
      const isWhole = found.length < limit
      const end = isWhole && rows.length <= MAX_SCAN ? head : (isWhole ? scanned : found).at(-1)?.sequence
      return { events: found, scannedTo: Math.max(after, end ?? after) }
    },

    async prune(scopeKey, { before, keep, limit }) {
      const { head, floor } = boundsOf(scopeKey)
      let end = floor
      while (end < head && end < floor + limit && isOld(events.get(scopeKey, end + 1))) end += 1

      function isOld(row: EventRow | undefined): boolean {
        return row === undefined || row.timestamp < before || row.sequence <= head - keep
      }

      return journal.atomically(() => {
        for (let sequence = floor + 1; sequence <= end; sequence += 1) {
          const row = events.get(scopeKey, sequence)
          if (row) events.remove(row)
        }
        const scope = scopes.byId(String(scopeKey))
        if (scope) scopes.update({ ...scope, floor: end })
        return end - floor
      })
    },

    async purge(sessions, limit) {
      const erased = new Set(sessions)
      const rows = events
        .all()
        .filter(({ sessionKey, body }) => erased.has(sessionKey) && body !== null && body.type !== 'session.deleted')
        .slice(0, limit)
      for (const row of rows) events.update({ ...row, body: null })
      return rows.length
    },
  }
}

const hasBody = (row: EventRow): row is HarnessEvent => row.body !== null

type OneSession = NonNullable<EventFilter['session']>

const matches =
  ({ session, types }: EventFilter) =>
  ({ path, body }: HarnessEvent): boolean =>
    (session === undefined || (session.includeDescendants ? isWithin(session.path, path) : session.path === path)) &&
    (types === undefined || types.includes(body.type))
