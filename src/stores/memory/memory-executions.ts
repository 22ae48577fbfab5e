/** The uncertain tool executions of all sessions. Rows are changed by the unit of work alone. */
import type { ExecutionStore } from '../../ports/stores/executions.ts'
import type { MemoryTables } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryExecutions({ executions }: MemoryTables): ExecutionStore {
  return {
    async findMany(ids) {
      return [...new Set(ids)].flatMap((id) => executions.byId(id) ?? [])
    },

    async uncertain(sessions, limit) {
      return [...new Set(sessions)].flatMap((session) =>
        executions
          .of(session)
          .filter(({ state }) => state.kind === 'uncertain')
          .toSorted((a, b) => a.ordinal - b.ordinal)
          .slice(0, limit),
      )
    },

    async purge(sessions, limit) {
      return purgeRows(executions, sessions, limit)
    },
  }
}
