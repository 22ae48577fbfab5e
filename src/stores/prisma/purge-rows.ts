import type { SessionKey } from '../../kernel/ids.ts'
import { MAX_ROWS } from './bulk.ts'
import type { Database } from './database.ts'
import { names, sql, type Sql } from './sql.ts'

export interface Purging {
  readonly table: string
  /** The column with the session key. */
  readonly column: string
  readonly sessions: readonly SessionKey[]
  readonly limit: number
  /** Which of their rows; all when absent. */
  readonly where?: Sql
}

/** Deletes at most `limit` rows of these sessions. Returns how many. */
export const purgeRows = (database: Database, purging: Purging): Promise<number> =>
  changeRows(database, purging, (which) => sql`DELETE FROM ${names([purging.table])} WHERE ${which}`)

/** Changes at most `limit` rows of these sessions, by a statement made from the condition that they satisfy. */
export async function changeRows(
  database: Database,
  { table, column, sessions, limit, where = sql`1 = 1` }: Purging,
  statement: (which: Sql) => Sql,
): Promise<number> {
  let changed = 0
  for (let from = 0; from < sessions.length && changed < limit; from += MAX_ROWS) {
    const theirs = database.dialect.oneOf(names([column]), sessions.slice(from, from + MAX_ROWS))
    const which = database.dialect.atMost(table, sql`${theirs} AND ${where}`, limit - changed)
    changed += await database.change(statement(which))
  }
  return changed
}
