/**
 * The event logs of all scopes. A log holds the sequences in `(floor, head]` without gaps; an event that was erased
 * with its session keeps its number. Rows are added by the unit of work alone.
 */
import type { HarnessEvent } from '../../domain/event/event.ts'
import { isWithin } from '../../domain/session/session.ts'
import type { EventFilter, EventStore } from '../../ports/stores/events.ts'
import type { EventRow, MemoryTables } from './memory-tables.ts'

/** Rows that one read looks at. */
const MAX_SCAN = 1000

export function memoryEvents({ journal, scopes, events }: MemoryTables): EventStore {
  const boundsOf = (scopeKey: number) => {
    const { sequence: head, floor } = scopes.byId(String(scopeKey)) ?? { sequence: 0, floor: 0 }
    return { head, floor }
  }
  return {
    async bounds(scopeKey) {
      return boundsOf(scopeKey)
    },

    async read({ scopeKey, filter, after, limit }) {
      const { head, floor } = boundsOf(scopeKey)
      const first = Math.max(after, floor) + 1
      const last = Math.min(head, first + MAX_SCAN - 1)
      const found: HarnessEvent[] = []
      for (let sequence = first; sequence <= last; sequence += 1) {
        const row = events.get(scopeKey, sequence)
        if (row && hasBody(row) && matches(filter, row)) found.push(row)
        if (found.length === limit) return { events: found, scannedTo: sequence }
      }
      return { events: found, scannedTo: Math.max(after, last) }
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
        .filter(({ sessionKey, body }) => erased.has(sessionKey) && body !== null)
        .slice(0, limit)
      for (const row of rows) events.update({ ...row, body: null })
      return rows.length
    },
  }
}

const hasBody = (row: EventRow): row is HarnessEvent => row.body !== null

const matches = ({ path, includeDescendants, types }: EventFilter, event: HarnessEvent): boolean =>
  (path === undefined || (includeDescendants === true ? isWithin(path, event.path) : event.path === path)) &&
  (types === undefined || types.includes(event.body.type))
