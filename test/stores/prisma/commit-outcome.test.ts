import { describe, expect, test } from 'vitest'
import * as rows from '../../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld } from '../../contract/support/world.ts'
import { openPostgresql } from '../../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../../src/stores/prisma/stores-of.ts'
import { connected, untilSomebodyWaits } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

const RECORD = 'INSERT INTO "CommitRecord" ("writeId", "members", "createdAt") VALUES ($1, 1, 1)'

describe.skipIf(postgresqlIsMissing)('the outcome of a commit on PostgreSQL', () => {
  test.each(['COMMIT', 'ROLLBACK'])('C8: who asks while the transaction is under way waits for its %s', async (end) => {
    await using database = await postgresqlScratch()
    await using lost = await connected(database.url)
    await using observer = await connected(database.url)
    const { unit } = await database.stores()
    const writeId = newWriteId()
    await lost.query('BEGIN')
    await lost.query(RECORD, [writeId])
    let answered = false
    const outcome = unit.outcomeOf(writeId).finally(() => {
      answered = true
    })
    await untilSomebodyWaits(observer)
    expect(answered).toBe(false)
    await lost.query(end)
    expect(await outcome).toBe(end === 'COMMIT' ? 'committed' : 'absent')
  })

  test('C8: a transaction that comes to its record after it was declared absent cannot commit', async () => {
    await using database = await postgresqlScratch()
    await using lost = await connected(database.url)
    const { unit } = await database.stores()
    const writeId = newWriteId()
    await lost.query('BEGIN')
    await lost.query(`UPDATE "Scope" SET "revision" = 99`)
    expect(await unit.outcomeOf(writeId)).toBe('absent')
    await expect(lost.query(RECORD, [writeId])).rejects.toMatchObject({ code: '23505' })
    await lost.query('COMMIT')
    expect(await unit.outcomeOf(writeId)).toBe('absent')
  })

  test('C8: it waits longer than for any other lock, and gives up as uncertain', async () => {
    await using database = await postgresqlScratch()
    await using lost = await connected(database.url)
    const timeouts = { lockMs: 100 }
    const impatient = await openPostgresql({ url: database.url, onStatement: () => undefined, timeouts })
    const { unit } = storesOf({ database: impatient, migrations: [] })
    const writeId = newWriteId()
    await lost.query('BEGIN')
    await lost.query(RECORD, [writeId])
    expect(await storeFailureOf(unit.outcomeOf(writeId))).toBe('uncertain')
    const outcome = unit.outcomeOf(writeId)
    await lost.query('COMMIT')
    expect(await outcome).toBe('committed')
    await impatient.close()
  })

  test('C8: a commit that meets a session held by another waits, and then conflicts', async () => {
    await using database = await postgresqlScratch()
    await using other = await connected(database.url)
    await using observer = await connected(database.url)
    const world = await openWorld(await database.stores())
    const session = await world.create()
    await other.query('BEGIN')
    await other.query(`UPDATE "Session" SET "revision" = 1, "epoch" = 4`)
    const failure = storeFailureOf(world.commit({ sessions: [nextRow(session)], events: [rows.draftOf(session, 1)] }))
    await untilSomebodyWaits(observer)
    await other.query('COMMIT')
    expect(await failure).toBe('fenced')
  })
})
