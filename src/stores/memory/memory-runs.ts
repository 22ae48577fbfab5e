/** The runs of all sessions. Rows are changed by the unit of work alone. */
import type { SessionKey } from '../../kernel/ids.ts'
import type { RunStore } from '../../ports/stores/runs.ts'
import type { MemoryTables } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryRuns({ runs }: MemoryTables): RunStore {
  const newestFirst = (session: SessionKey) => runs.of(session).toSorted((a, b) => b.ordinal - a.ordinal)
  return {
    async find(session, ordinal) {
      return runs.get(session, ordinal)
    },

    async findMany(ids) {
      return [...new Set(ids)].flatMap((id) => runs.byId(id) ?? [])
    },

    async latest(sessions) {
      return [...new Set(sessions)].flatMap((session) => newestFirst(session)[0] ?? [])
    },

    async pages(queries) {
      return queries.map(({ sessionKey, before = Infinity, limit }) =>
        newestFirst(sessionKey)
          .filter(({ ordinal }) => ordinal < before)
          .slice(0, limit),
      )
    },

    async purge(sessions, limit) {
      return purgeRows(runs, sessions, limit)
    },
  }
}
