/** The agent log of all sessions. Rows are added by the unit of work alone and never change. */
import type { LogStore } from '../../ports/stores/log.ts'
import type { MemoryTables } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryLog({ log }: MemoryTables): LogStore {
  return {
    async read(session, from, limit) {
      return log
        .of(session)
        .filter(({ index }) => index >= from)
        .toSorted((a, b) => a.index - b.index)
        .slice(0, limit)
    },

    async purge(sessions, limit) {
      return purgeRows(log, sessions, limit)
    },
  }
}
