import type { ExecutionStore } from '../../ports/stores/executions.ts'
import type { Database } from './database.ts'
import { executionOf, executionTable } from './execution-row.ts'
import { firstOfSessions } from './first-of-sessions.ts'
import type { UncertainExecution as ExecutionModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { purgeRows } from './purge-rows.ts'
import { names, sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { namesOf } from './table.ts'

const { name: table } = executionTable
const columns = namesOf(executionTable.columns)

/** The uncertain tool executions of all sessions. Rows are changed by the unit of work alone. */
export function prismaExecutions(database: Database): ExecutionStore {
  const { dialect } = database
  return {
    async findMany(ids) {
      const rows = await inPages(ids.filter(isStorable), (page) =>
        database.rows<ExecutionModel>(sql`
          SELECT ${names(columns)} FROM ${names([table])} WHERE ${dialect.oneOfTexts(sql`"intentId"`, page)}`),
      )
      return rows.map(executionOf)
    },

    async uncertain(sessions, limit) {
      const rows = await firstOfSessions<ExecutionModel>(database, {
        table: executionTable,
        sessions,
        where: sql`t."uncertain" = TRUE`,
        order: sql`t."ordinal"`,
        limit,
      })
      return rows.map(executionOf).toSorted((a, b) => a.ordinal - b.ordinal)
    },

    purge: (sessions, limit) => purgeRows(database, { table, column: 'sessionKey', sessions, limit }),
  }
}
