import type { RequestStore } from '../../ports/stores/requests.ts'
import type { Database } from './database.ts'
import { purgeRows } from './purge-rows.ts'
import { requestOf } from './request-row.ts'
import { sql } from './sql.ts'
import { isStorable } from './storable-text.ts'

/** What clients asked for under an id of their own. Rows are added by the unit of work alone and never change. */
export function prismaRequests(database: Database): RequestStore {
  return {
    async find(scopeKey, owner, clientRequestId) {
      if (!isStorable(clientRequestId)) return undefined
      const where = { owner_scopeKey_clientRequestId: { owner, scopeKey, clientRequestId } }
      const row = await database.read((client) => client.clientRequest.findUnique({ where }))
      return row ? requestOf(row) : undefined
    },

    forget(before, limit) {
      const old = database.dialect.atMost('ClientRequest', sql`"createdAt" < ${before}`, limit)
      return database.change(sql`DELETE FROM "ClientRequest" WHERE ${old}`)
    },

    purge: (sessions, limit) => purgeRows(database, { table: 'ClientRequest', column: 'owner', sessions, limit }),
  }
}
