import type { SessionKey } from '../../kernel/ids.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import { inPages } from './pages.ts'
import { sql, type Sql } from './sql.ts'
import { namesOf, type Table } from './table.ts'

export interface FirstOfSessions {
  readonly table: Table
  readonly sessions: readonly SessionKey[]
  /** A further condition on `t`, the table. */
  readonly where?: Sql
  /** An order of `t`. */
  readonly order: Sql
  readonly limit: number
}

/** Of each session the first `limit` rows, in no order. One statement for as many sessions as go into one. */
export function firstOfSessions<Model>(
  database: Database,
  { table, sessions, where = sql`TRUE`, order, limit }: FirstOfSessions,
): Promise<readonly Model[]> {
  return inPages(sessions, async (page) => {
    const rows = page.map((sessionKey, query) => ({ query, sessionKey }))
    const found = sources(database.dialect, { query: 'integer', sessionKey: 'bigint' }, rows).map((source) =>
      database.rows<Model>(
        database.dialect.firstRows({
          source,
          table: table.name,
          columns: namesOf(table.columns),
          match: sql`t."sessionKey" = j."sessionKey" AND ${where}`,
          order,
          limit,
        }),
      ),
    )
    return (await Promise.all(found)).flat()
  })
}
