import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/stores/prisma/migrate/migrate-database.ts'
import { databasePath } from '../../src/stores/prisma/sqlite/database-path.ts'
import * as rows from '../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld } from '../contract/support/world.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import { databaseKinds } from '../stores/prisma/scratch.ts'
import { storeFailureOf } from '../stores/prisma/store-failure-of.ts'

/** SQLite adds no column that must be given; a trigger that wants it refuses as one would. */
const MUST_BE_GIVEN = {
  SQLite: `CREATE TABLE "Needed" ("value" TEXT NOT NULL);
    CREATE TRIGGER "needs" AFTER INSERT ON "LogEntry" BEGIN INSERT INTO "Needed" VALUES (NULL); END`,
  PostgreSQL: 'ALTER TABLE "LogEntry" ADD COLUMN "needed" TEXT NOT NULL',
} as const

/** What a newer build does to a database, while ours is at work. */
async function change(url: string, statement: string): Promise<void> {
  const known = `INSERT INTO "_prisma_migrations"
      (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
    SELECT 'newer', 'x', '99990101000000_newer', finished_at, started_at, 1 FROM "_prisma_migrations"`
  if (url.startsWith('file:')) {
    using db = new DatabaseSync(databasePath(url))
    db.exec(`${known}; ${statement}`)
    return
  }
  await using client = await connected(url)
  await client.query(`${known}; ${statement}`)
}

describe.each(databaseKinds)('a schema of a newer build on $name', ({ name, missing, scratch }) => {
  describe.skipIf(missing)('while an older one is at work', () => {
    test.each([
      ['a column was renamed', 'ALTER TABLE "LogEntry" RENAME COLUMN "runId" TO "run"'],
      ['a table has gone', 'DROP TABLE "LogEntry"'],
      ['an entry needs what only the newer one knows', MUST_BE_GIVEN[name]],
    ])('C72: a commit is fatal when %s, and nothing has changed', async (_what, statement) => {
      await using database = await scratch()
      const stores = await database.stores()
      const world = await openWorld(stores)
      const session = await world.create()
      const entry = rows.insertLog(rows.logOf(session, 0))
      expect(await stores.isReady()).toBe(true)
      await change(database.url, statement)
      const commit = world.change({ sessions: [nextRow(session)], rows: [entry], events: [rows.draftOf(session, 1)] })
      expect(await storeFailureOf(stores.unit.commit(newWriteId(), [commit]))).toBe('fatal')
      expect(await world.reload(session)).toEqual(session)
      expect(await stores.isReady()).toBe(false)
      await expect(migrateDatabase(database.url)).rejects.toMatchObject({ problem: 'NEWER' })
    })
  })
})
