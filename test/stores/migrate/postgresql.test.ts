import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../../src/stores/prisma/migrate/migrate-database.ts'
import { migratePostgresql } from '../../../src/stores/prisma/migrate/migrate-postgresql.ts'
import { readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../../src/stores/prisma/migrate/migrations-folder.ts'
import { postgresUrl, type ScratchDatabase, scratchDatabase } from '../../support/postgres.ts'
import { scratchMigrations } from './scratch-migrations.ts'

const server = await postgresUrl()

const init = { '1_init': 'CREATE TABLE a (x INTEGER PRIMARY KEY); INSERT INTO a VALUES (7);' }
const more = { '2_more': 'ALTER TABLE a ADD COLUMN y TEXT;' }
const problem = (name: string, migration?: string) => ({ name: 'MigrationError', problem: name, migration })

describe.skipIf(server === undefined)('a PostgreSQL database', () => {
  let database: ScratchDatabase
  let client: pg.Client

  const migrate = (scripts: Readonly<Record<string, string>>) =>
    migratePostgresql(database.url, scratchMigrations(scripts), { lockTimeoutMs: 20_000 })
  const rows = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows

  beforeEach(async () => {
    database = await scratchDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })

  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  test('gets everything at first and nothing the second time', async () => {
    const names = readMigrations(migrationsFolder('postgresql')).map(({ name }) => name)
    expect(names[0]).toMatch(/^\d{14}_init$/)
    expect(await migrateDatabase(database.url)).toEqual(names)
    expect(await rows('SELECT count(*)::int AS sessions FROM "Session"')).toEqual([{ sessions: 0 }])
    expect(await migrateDatabase(database.url)).toEqual([])
  })

  test('gets everything once when five servers start at once', async () => {
    const scripts = { ...init, ...more }
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(scripts)))
    expect(applied.filter((names) => names.length > 0)).toEqual([['1_init', '2_more']])
    expect(await rows('SELECT x, y FROM a')).toEqual([{ x: 7, y: null }])
    expect(
      await rows(`SELECT migration_name AS name, applied_steps_count AS steps, finished_at >= started_at AS finished,
                         rolled_back_at, logs FROM _prisma_migrations ORDER BY started_at`),
    ).toEqual([
      { name: '1_init', steps: 1, finished: true, rolled_back_at: null, logs: null },
      { name: '2_more', steps: 1, finished: true, rolled_back_at: null, logs: null },
    ])
  })

  test('waits for the lock of Prisma Migrate, and not for ever', async () => {
    await client.query('SELECT pg_advisory_lock(72707369)')
    const impatient = migratePostgresql(database.url, scratchMigrations(init), { lockTimeoutMs: 50 })
    await expect(impatient).rejects.toMatchObject(problem('BUSY'))
    const patient = migrate(init)
    await client.query('SELECT pg_advisory_unlock(72707369)')
    expect(await patient).toEqual(['1_init'])
  })

  test('stays as it is when a migration fails, without the ones before it', async () => {
    await migrate(init)
    const broken = { ...init, ...more, '3_broken': 'INSERT INTO a (x) VALUES (8); INSERT INTO nope VALUES (1);' }
    await expect(migrate(broken)).rejects.toMatchObject(problem('REFUSED', '3_broken'))
    await expect(migrate(broken)).rejects.toThrow('relation "nope" does not exist')
    expect(await rows('SELECT * FROM a')).toEqual([{ x: 7 }])
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
  })

  test('is refused when a migration was edited after it was applied', async () => {
    await migrate(init)
    const edited = { '1_init': `${init['1_init']} -- changed`, ...more }
    await expect(migrate(edited)).rejects.toMatchObject(problem('EDITED', '1_init'))
    expect(await rows('SELECT * FROM a')).toEqual([{ x: 7 }])
  })

  test('is refused when it is newer than this build', async () => {
    await migrate({ ...init, ...more })
    await expect(migrate(init)).rejects.toMatchObject(problem('NEWER', '2_more'))
  })

  test('is refused while a migration of the prisma command has failed on it', async () => {
    await migrate(init)
    await client.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', '2', '2_more')`)
    await expect(migrate({ ...init, ...more })).rejects.toMatchObject(problem('FAILED', '2_more'))
    await client.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_more'`)
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
  })

  test('is refused when it belongs to something else', async () => {
    await client.query('CREATE TABLE theirs (x INTEGER)')
    await expect(migrate(init)).rejects.toMatchObject(problem('FOREIGN'))
    expect(await rows(`SELECT to_regclass('_prisma_migrations') AS history`)).toEqual([{ history: null }])
  })

  test('that cannot be reached is an error', async () => {
    const nowhere = migratePostgresql('postgresql://postgres@127.0.0.1:1/none', [])
    await expect(nowhere).rejects.toThrow('ECONNREFUSED')
  })
})
