import { DatabaseSync } from 'node:sqlite'
import { databasePath } from '../../src/stores/prisma/sqlite/database-path.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import type { Rows } from './commit-history.ts'

/** Reads a database by a connection of its own for each query. */
export function rowsOf(url: string): Rows {
  if (url.startsWith('file:')) {
    return async (sql) => {
      using db = new DatabaseSync(databasePath(url))
      return db.prepare(sql).all()
    }
  }
  return async (sql) => {
    await using client = await connected(url)
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numeric(value)])))
  }
}

/** A bigint of PostgreSQL comes as text. */
const numeric = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
