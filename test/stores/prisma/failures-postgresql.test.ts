import net from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import { openPostgresql, type PostgresqlTimeouts } from '../../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../../src/stores/prisma/stores-of.ts'
import * as rows from '../../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld, type World } from '../../contract/support/world.ts'
import type { Fault } from '../../support/postgres-fault.ts'
import { postgresProxy } from '../../support/postgres-proxy.ts'
import { connected, untilSomebodyWaits } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

const cutBefore: Fault = { kind: 'cutBefore', by: 'FIN' }
const cutAfter: Fault = { kind: 'cutAfter', by: 'FIN' }
const silence: Fault = { kind: 'silence' }
/** Longer than a busy machine makes anybody wait. */
const patience = { silenceMs: 1_500 }

async function impatient(url: string, timeouts: Partial<PostgresqlTimeouts>): Promise<Stores & AsyncDisposable> {
  const database = await openPostgresql({ url, onStatement: () => undefined, poolSize: 1, timeouts })
  const stores = storesOf({ database, migrations: [] })
  return { ...stores, [Symbol.asyncDispose]: () => stores.close() }
}

async function changeOf({ create, change }: World) {
  const session = await create()
  return { session, commit: change({ sessions: [nextRow(session)], events: [rows.draftOf(session, 1)] }) }
}

describe.skipIf(postgresqlIsMissing)('failures on PostgreSQL', () => {
  test.each<[Fault, 'committed' | 'absent']>([
    [cutBefore, 'absent'],
    [cutAfter, 'committed'],
    [{ kind: 'cutAfter', by: 'RST' }, 'committed'],
    [{ kind: 'cutAndDeliver', by: 'FIN', afterMs: 200 }, 'committed'],
    [silence, 'committed'],
    [{ kind: 'delay', ms: 2_700 }, 'committed'],
  ])('a connection that is lost at COMMIT (%j) leaves it uncertain, and it was %s', async (fault, truth) => {
    await using database = await postgresqlScratch()
    await using proxy = await postgresProxy(database.url)
    await using stores = await impatient(proxy.url, patience)
    const world = await openWorld(await database.stores())
    const { session, commit } = await changeOf(world)
    const writeId = newWriteId()
    proxy.arm('COMMIT', fault)
    expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe('uncertain')
    expect(await stores.unit.outcomeOf(writeId)).toBe(truth)
    expect((await world.reload(session)).revision).toBe(truth === 'committed' ? 1 : 0)
    if (truth === 'absent') await stores.unit.commit(newWriteId(), [commit])
    expect((await world.reload(session)).revision).toBe(1)
  })

  test.each<Fault>([cutBefore, cutAfter, silence])('so does one that is lost before (%j)', async (fault) => {
    await using database = await postgresqlScratch()
    await using proxy = await postgresProxy(database.url)
    await using stores = await impatient(proxy.url, patience)
    const world = await openWorld(await database.stores())
    const { session, commit } = await changeOf(world)
    const writeId = newWriteId()
    proxy.arm('INSERT INTO "Event"', fault)
    expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe('uncertain')
    expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
    await stores.unit.commit(newWriteId(), [commit])
    expect(await world.reload(session)).toMatchObject({ revision: 1 })
  })

  test('a transaction that never began is not committed, nor is a query anything else', async () => {
    await using silent = await listening()
    await using nobody = await impatient('postgresql://postgres@127.0.0.1:1/nothing', {})
    await using mute = await impatient(`postgresql://postgres@127.0.0.1:${silent.port}/nothing`, { connectMs: 200 })
    await using database = await postgresqlScratch()
    await using full = await impatient(database.url, { connectMs: 200 })
    await using holder = await connected(database.url)
    const world = await openWorld(await database.stores())
    const { session, commit } = await changeOf(world)
    for (const stores of [nobody, mute]) {
      expect(await storeFailureOf(stores.unit.commit(newWriteId(), [commit]))).toBe('notCommitted')
      expect(await storeFailureOf(stores.sessions.findMany([session.key]))).toBe('notCommitted')
      expect(await stores.isReady()).toBe(false)
    }
    await holder.query('BEGIN; SELECT FROM "Session" FOR UPDATE')
    const first = storeFailureOf(full.unit.commit(newWriteId(), [commit])) // has the only connection of the pool
    expect(await storeFailureOf(full.unit.commit(newWriteId(), [commit]))).toBe('notCommitted')
    await holder.query('COMMIT')
    expect(await first).toBeUndefined()
  })

  test.each<[Partial<PostgresqlTimeouts>]>([[{ lockMs: 100 }], [{ statementMs: 100 }]])(
    'what the server gives up after %j is not committed',
    async (timeouts) => {
      await using database = await postgresqlScratch()
      await using stores = await impatient(database.url, timeouts)
      await using holder = await connected(database.url)
      const { commit } = await changeOf(await openWorld(await database.stores()))
      const writeId = newWriteId()
      await holder.query('BEGIN; SELECT FROM "Session" FOR UPDATE')
      expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe('notCommitted')
      await holder.query('COMMIT')
      expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
    },
  )

  test('the victim of a deadlock is not committed', async () => {
    await using database = await postgresqlScratch()
    await using stores = await impatient(database.url, {})
    await using other = await connected(database.url)
    await using observer = await connected(database.url)
    const { commit } = await changeOf(await openWorld(await database.stores()))
    await other.query(`SET deadlock_timeout = '1min'; BEGIN; UPDATE "Scope" SET "revision" = "revision"`)
    const failure = storeFailureOf(stores.unit.commit(newWriteId(), [commit]))
    await untilSomebodyWaits(observer) // it holds the session and waits for the scope
    await other.query('UPDATE "Session" SET "title" = NULL')
    expect(await failure).toBe('notCommitted')
    await other.query('COMMIT')
  })

  test('a connection that the server ends leaves it uncertain', async () => {
    await using database = await postgresqlScratch()
    await using stores = await impatient(database.url, {})
    await using holder = await connected(database.url)
    await using observer = await connected(database.url)
    const { commit } = await changeOf(await openWorld(await database.stores()))
    const writeId = newWriteId()
    await holder.query('BEGIN; SELECT FROM "Session" FOR UPDATE')
    const failure = storeFailureOf(stores.unit.commit(writeId, [commit]))
    const [pid] = await untilSomebodyWaits(observer)
    await observer.query('SELECT pg_terminate_backend($1)', [pid])
    expect(await failure).toBe('uncertain')
    await holder.query('COMMIT')
    expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
  })

  test('a connection that failed in a transaction is not used again with it', async () => {
    await using database = await postgresqlScratch()
    await using proxy = await postgresProxy(database.url)
    await using stores = await impatient(proxy.url, { silenceMs: 300 })
    const world = await openWorld(await database.stores())
    const { session, commit } = await changeOf(world)
    proxy.arm('INSERT INTO "CommitRecord"', silence)
    expect(await storeFailureOf(stores.unit.commit(newWriteId(), [commit]))).toBe('uncertain')
    const [seen] = await stores.sessions.findMany([session.key])
    expect(seen?.revision).toBe(0)
    await stores.unit.commit(newWriteId(), [commit])
    expect((await world.reload(session)).revision).toBe(1)
  })
})

/** Takes connections and never says a word. */
async function listening(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
