import type { Database } from './database.ts'
import { sql } from './sql.ts'

/**
 * Reserves row keys that nobody else ever gets: durable before they are used. Returns the first; the others follow
 * it.
 */
export async function reserveKeys(database: Database, name: 'scope' | 'session', count: number): Promise<number> {
  const [rows] = await database.transaction([
    sql`
      INSERT INTO "KeyBlock" AS b ("name", "next") VALUES (${name}, 1 + CAST(${count} AS BIGINT))
      ON CONFLICT ("name") DO UPDATE SET "next" = b."next" + CAST(${count} AS BIGINT) RETURNING "next"`,
  ])
  const [block] = rows as readonly { readonly next: bigint }[]
  return Number(block?.next) - count
}
