import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../../src/ports/telemetry.ts'
import { MigrationError } from '../../../src/stores/prisma/migrate/migration-error.ts'
import { prismaStores } from '../../../src/stores/prisma/prisma-stores.ts'
import { DatabaseInUseError } from '../../../src/stores/prisma/sqlite/database-in-use-error.ts'
import { openWorld } from '../../contract/support/world.ts'
import { scratchDatabase } from '../../support/postgres.ts'
import { connected } from './postgresql-observer.ts'
import { postgresqlIsMissing } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

const NEWER = `
  INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ('x', 'x', '99999999999999_newer', CURRENT_TIMESTAMP, 1)`

test('another kind of database is refused', async () => {
  await expect(prismaStores({ url: 'mysql://localhost/x' })).rejects.toThrow('must begin with file: or postgresql:')
})

describe('SQLite', () => {
  let folder: string
  let url: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-open-'))
    url = `file:${path.join(folder, 'data', 'stores.db')}`
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('the file and its folder are created and migrated, which is told once', async () => {
    const told: unknown[] = []
    const log: Log = { info: (fields) => told.push(fields), warn: () => undefined, error: () => undefined }
    const stores = await prismaStores({ url, log })
    expect(await stores.isReady()).toBe(true)
    expect(stores.serialises).toBe('database')
    expect(told).toMatchObject([{ migrations: [expect.stringContaining('init')] }])
    await stores.close()
    const again = await prismaStores({ url, log })
    expect(told).toHaveLength(1)
    await again.close()
  })

  test('what was committed is there after closing and opening', async () => {
    const stores = await prismaStores({ url })
    const session = await (await openWorld(stores)).create({ title: 'kept' })
    await stores.close()
    const again = await prismaStores({ url })
    expect(await again.sessions.findMany([session.key])).toEqual([session])
    expect(await again.sessions.reserveKeys(1)).toBeGreaterThan(session.key)
    await again.close()
  })

  test('one at a time has the file, and who is refused leaves nothing behind', async () => {
    const stores = await prismaStores({ url })
    await expect(prismaStores({ url })).rejects.toBeInstanceOf(DatabaseInUseError)
    expect(await stores.isReady()).toBe(true)
    await stores.close()
    await (await prismaStores({ url })).close()
  })

  test('closed stores answer nothing, do not open the file again, and can be closed again', async () => {
    const stores = await prismaStores({ url })
    const world = await openWorld(stores)
    const seed = await world.seed()
    await stores.close()
    await stores.close()
    expect(await stores.isReady()).toBe(false)
    expect(await storeFailureOf(stores.sessions.findMany([seed.key]))).toBe('notCommitted')
    expect(await storeFailureOf(world.commit({ created: [seed] }))).toBe('notCommitted')
    expect(existsSync(path.join(folder, 'data', 'stores.db-wal'))).toBe(false)
  })

  test('a database of a newer build is refused, lets go of, and not ready', async () => {
    const stores = await prismaStores({ url })
    using db = new DatabaseSync(path.join(folder, 'data', 'stores.db'))
    db.exec(NEWER)
    expect(await stores.isReady()).toBe(false)
    await stores.close()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(prismaStores({ url })).rejects.toBeInstanceOf(MigrationError)
    }
  })
})

describe.skipIf(postgresqlIsMissing)('PostgreSQL', () => {
  test('the database is migrated, and several may have it', async () => {
    const server = await scratchDatabase()
    const { url } = server
    const [one, two] = await Promise.all([prismaStores({ url }), prismaStores({ url, poolSize: 2 })])
    expect(one.serialises).toBe('scope')
    const world = await openWorld(one)
    const session = await world.create()
    expect(await two.sessions.findMany([session.key])).toEqual([session])
    await one.close()
    expect(await storeFailureOf(one.sessions.findMany([session.key]))).toBe('notCommitted')
    expect([await one.isReady(), await two.isReady()]).toEqual([false, true])
    await using client = await connected(url)
    await client.query(NEWER)
    expect(await two.isReady()).toBe(false)
    await two.close()
    await expect(prismaStores({ url })).rejects.toBeInstanceOf(MigrationError)
    await server.drop()
  })

  test('a server that is not there is told as the driver tells it', async () => {
    await expect(prismaStores({ url: 'postgresql://postgres@127.0.0.1:1/x' })).rejects.toThrow('ECONNREFUSED')
  })
})
