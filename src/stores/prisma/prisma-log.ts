import type { LogStore } from '../../ports/stores/log.ts'
import type { Database } from './database.ts'
import { logEntryOf } from './log-row.ts'
import { purgeRows } from './purge-rows.ts'

/** The agent log of all sessions. Rows are added by the unit of work alone and never change. */
export function prismaLog(database: Database): LogStore {
  return {
    async read(sessionKey, from, limit) {
      const where = { sessionKey, index: { gte: from } }
      const rows = await database.read((client) =>
        client.logEntry.findMany({ where, orderBy: { index: 'asc' }, take: limit }),
      )
      return rows.map(logEntryOf)
    },

    purge: (sessions, limit) => purgeRows(database, { table: 'LogEntry', column: 'sessionKey', sessions, limit }),
  }
}
