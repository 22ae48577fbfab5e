import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FailureClass } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { readMigrations } from '../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../src/stores/prisma/migrate/migrations-folder.ts'
import { openPostgresql } from '../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../src/stores/prisma/stores-of.ts'
import * as rows from '../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld, type World } from '../contract/support/world.ts'
import { connected, untilSomebodyWaits } from '../stores/prisma/postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch, type Scratch } from '../stores/prisma/scratch.ts'
import { storeFailureOf } from '../stores/prisma/store-failure-of.ts'

const reported: readonly (readonly [sqlState: string, failure: FailureClass])[] = [
  ['22003', 'notCommitted'], // a number out of range
  ['23514', 'notCommitted'], // a check
  ['23505', 'conflict'], // a unique key
  ['40001', 'notCommitted'], // serialisation
  ['40P01', 'notCommitted'], // deadlock
  ['53100', 'notCommitted'], // disk full
  ['53200', 'notCommitted'], // out of memory
  ['55P03', 'notCommitted'], // lock timeout
  ['57014', 'notCommitted'], // statement timeout
  ['25006', 'notCommitted'], // read-only
  ['42P01', 'fatal'], // no such table
  ['42703', 'fatal'], // no such column
  ['58030', 'fatal'], // I/O error
  ['XX001', 'fatal'], // data corrupted
  ['57P01', 'uncertain'], // the server is shut down
  ['XX000', 'uncertain'], // a defect
]

/** Makes every new session's or commit's row fail with an SQLSTATE, at once or at COMMIT. */
async function failing(server: pg.Client, sqlState: string, at: 'a statement' | 'COMMIT'): Promise<AsyncDisposable> {
  const deferred = at === 'COMMIT' ? 'DEFERRABLE INITIALLY DEFERRED' : ''
  await server.query(`
    CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${sqlState}', MESSAGE = 'as the test wants'; END $$;
    CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON "LogEntry" ${deferred} FOR EACH ROW EXECUTE FUNCTION fail()`)
  return { [Symbol.asyncDispose]: async () => void (await server.query('DROP TRIGGER fail ON "LogEntry"')) }
}

async function changeOf({ create, change }: World) {
  const session = await create()
  const entry = rows.insertLog(rows.logOf(session, 0))
  const commit = change({ sessions: [nextRow(session)], rows: [entry], events: [rows.draftOf(session, 1)] })
  return { session, commit }
}

async function openedAt(url: string): Promise<Stores & AsyncDisposable> {
  const database = await openPostgresql({ url, onStatement: () => undefined, poolSize: 2 })
  const stores = storesOf({ database, migrations: readMigrations(migrationsFolder('postgresql')) })
  return { ...stores, [Symbol.asyncDispose]: () => stores.close() }
}

describe.skipIf(postgresqlIsMissing)('what PostgreSQL reports', () => {
  let scratch: Scratch
  let stores: Stores
  beforeAll(async () => {
    scratch = await postgresqlScratch()
    stores = await scratch.stores()
  })
  afterAll(() => scratch[Symbol.asyncDispose]())

  describe.each(['a statement', 'COMMIT'] as const)('at %s', (at) => {
    test.each(reported)('C72: SQLSTATE %s is %s, and nothing has changed', async (sqlState, failure) => {
      const world = await openWorld(stores)
      const { session, commit } = await changeOf(world)
      await using server = await connected(scratch.url)
      const writeId = newWriteId()
      {
        await using _ = await failing(server, sqlState, at)
        expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe(failure)
      }
      expect(await world.reload(session)).toEqual(session)
      expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
      await stores.unit.commit(newWriteId(), [commit])
      expect((await world.reload(session)).revision).toBe(1)
      expect((await stores.events.bounds(world.scope.key)).head).toBe(1)
    })
  })

  test('C72: who is refused by a snapshot of before is not committed', async () => {
    await using server = await connected(scratch.url)
    await server.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''', current_database());
    END $$`)
    await using strict = await openedAt(scratch.url)
    await using observer = await connected(scratch.url)
    const world = await openWorld(stores)
    const { session, commit } = await changeOf(world)
    await server.query('BEGIN ISOLATION LEVEL READ COMMITTED; SELECT FROM "Session" FOR UPDATE')
    const failure = storeFailureOf(strict.unit.commit(newWriteId(), [commit]))
    await untilSomebodyWaits(observer)
    await server.query('UPDATE "Session" SET "title" = \'moved\' WHERE "key" = $1', [session.key])
    await server.query('COMMIT')
    expect(await failure).toBe('notCommitted')
  })

  test('C72: who gets no connection, because there are too many, is not committed', async () => {
    const role = `flexharness_test_${randomUUID().replaceAll('-', '')}`
    await using server = await connected(scratch.url)
    await server.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0`)
    try {
      const url = new URL(scratch.url)
      url.username = role
      await using crowded = await openedAt(url.href)
      const { commit } = await changeOf(await openWorld(stores))
      expect(await storeFailureOf(crowded.unit.commit(newWriteId(), [commit]))).toBe('notCommitted')
      expect(await crowded.isReady()).toBe(false)
    } finally {
      await server.query(`DROP ROLE ${role}`)
    }
  })
})

describe.skipIf(postgresqlIsMissing)('a PostgreSQL that does not take changes', () => {
  test('C73: a server that is read-only is not ready from the first commit that it refused', async () => {
    await using scratch = await postgresqlScratch()
    await using server = await connected(scratch.url)
    const world = await openWorld(await scratch.stores())
    const { commit } = await changeOf(world)
    const readOnly = (is: 'on' | 'off') =>
      server.query(`DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${is}', current_database());
      END $$`)
    await readOnly('on')
    await using stores = await openedAt(scratch.url)
    expect(await storeFailureOf(stores.unit.commit(newWriteId(), [commit]))).toBe('notCommitted')
    expect(await stores.isReady()).toBe(false)
    await server.query('SET default_transaction_read_only = off')
    await readOnly('off')
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    await expect.poll(() => stores.isReady()).toBe(true)
    await stores.unit.commit(newWriteId(), [commit])
  })
})
