import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/stores/prisma/open-sqlite.ts'
import { raw, sql } from '../../../src/stores/prisma/sql.ts'
import { databasePath } from '../../../src/stores/prisma/sqlite/database-path.ts'
import { storesOf } from '../../../src/stores/prisma/stores-of.ts'
import * as rows from '../../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld } from '../../contract/support/world.ts'
import { sqliteScratch } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

const silent = () => undefined

test('a transaction that waited for another process in vain is not committed', async () => {
  await using scratch = await sqliteScratch()
  const database = await openSqlite({ url: scratch.url, onStatement: silent, busyTimeoutMs: 100 })
  const stores = storesOf({ database, migrations: [] })
  const world = await openWorld(stores)
  const session = await world.create()
  const writeId = newWriteId()
  const commit = world.change({ sessions: [nextRow(session)] })
  using other = new DatabaseSync(databasePath(scratch.url))
  other.exec('BEGIN IMMEDIATE')
  expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe('notCommitted')
  expect(await storeFailureOf(stores.unit.outcomeOf(writeId))).toBe('notCommitted')
  other.exec('ROLLBACK')
  expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
  await stores.unit.commit(newWriteId(), [commit])
  await stores.close()
})

test('when the disk is full nothing is committed, and the store goes on when it is not any more', async () => {
  await using scratch = await sqliteScratch()
  const database = await openSqlite({ url: scratch.url, onStatement: silent })
  const stores = storesOf({ database, migrations: [] })
  const world = await openWorld(stores)
  const session = await world.create()
  const [size] = await database.rows<{ readonly page_count: bigint }>(sql`PRAGMA page_count`)
  const limit = async (most: number) => database.rows(sql`PRAGMA max_page_count = ${raw(String(most))}`)
  await limit(Number(size?.page_count) + 20)
  const long = rows.insertLog(rows.logOf(session, 0, { body: { kind: 'step', output: 'x'.repeat(200_000) } }))
  const big = world.change({ sessions: [nextRow(session)], rows: [long], events: [rows.draftOf(session, 1)] })
  expect(await storeFailureOf(stores.unit.commit(newWriteId(), [big]))).toBe('notCommitted')
  expect(await world.reload(session)).toEqual(session)
  expect(await stores.events.bounds(session.scopeKey)).toEqual({ head: 0, floor: 0 })
  await limit(1_000_000)
  await stores.unit.commit(newWriteId(), [big])
  expect((await world.reload(session)).revision).toBe(1)
  await stores.close()
})

test('a database that cannot be trusted is fatal, to what changes it and to what reads it', async () => {
  await using scratch = await sqliteScratch()
  const world = await openWorld(await scratch.stores())
  const session = await world.create()
  await world.stores.close()
  damage(databasePath(scratch.url))
  const stores = await scratch.stores()
  const commit = world.change({ sessions: [nextRow(session)], events: [rows.draftOf(session, 1)] })
  expect(await storeFailureOf(stores.unit.commit(newWriteId(), [commit]))).toBe('fatal')
  expect(await storeFailureOf(stores.sessions.findMany([session.key]))).toBe('fatal')
})

/** Overwrites the first page of each table and index of ours that has anything to do with sessions. */
function damage(file: string): void {
  using db = new DatabaseSync(file)
  const pages = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'Session'`).all()
  const handle = openSync(file, 'r+')
  for (const { rootpage } of pages) writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(rootpage) - 1) * 4096)
  closeSync(handle)
}
