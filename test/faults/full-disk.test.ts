import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { asSessionId, type SessionId } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { ready } from '../../src/server/http/health.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { openWorld } from '../contract/support/world.ts'
import { testServer } from '../server/test-server.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import { canHavePostgresClusters, postgresCluster } from '../support/postgres-cluster.ts'
import { canHaveSmallDisks, type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { caller, ok, scopeId } from '../support/world.ts'
import { CommitClient, type Told } from './commit-client.ts'
import { violationsOf } from './commit-history.ts'
import { rowsOf } from './rows-of.ts'

const canMount = await canHaveSmallDisks()
const PAYLOAD = 20_000

/** Fills the disk below a database, makes room again, twice, and looks at what was told and what is there. */
async function expectToSurvive(url: string, disk: SmallDisk): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const stores = stack.adopt(await prismaStores({ url }), (it) => it.close())
  const world = await openWorld(stores)
  const told: Told = { asked: [], resolved: [] }
  const payload = () => randomBytes(PAYLOAD / 2).toString('hex')
  const client = new CommitClient({ stores, told, policy: {}, payload })
  const sessions = await Promise.all(Array.from({ length: 4 }, () => world.create()))
  let round = 0
  const changeAll = async () => {
    round++
    const asked = await Promise.all(sessions.map((session, i) => client.change(session, `change-${round}-${i}`)))
    return asked.map((it) => it?.answer)
  }
  const failed = (answers: readonly unknown[]) => answers.filter((answer) => answer === 'notCommitted')

  for (let time = 0; time < 2; time++) {
    expect(failed(await changeAll())).toEqual([])
    expect(await stores.isReady()).toBe(true)
    disk.fill()
    let answers: readonly unknown[] = []
    while (failed(answers).length < sessions.length) answers = await changeAll()
    expect(await stores.isReady()).toBe(false)
    expect(await violationsOf(told, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
    expect(failed(await changeAll())).toHaveLength(sessions.length)
    expect(await stores.isReady()).toBe(false)
    disk.makeRoom()
    expect(await stores.isReady()).toBe(true)
  }
  expect(failed(await changeAll())).toEqual([])
  expect(client.committer.isHealthy).toBe(true)
  expect(await violationsOf(told, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
}

describe.skipIf(!canMount)('a disk that is full', () => {
  test('C73: below SQLite, commits fail and change nothing, and go on when there is room', async () => {
    await using disk = await smallDisk(12)
    await expectToSurvive(`file:${path.join(disk.folder, 'full.db')}`, disk)
  })

  test('C73, V13: a server on it says that it is not ready, and takes work again when there is room', async () => {
    await using disk = await smallDisk(12)
    await using stack = new AsyncDisposableStack()
    const url = `file:${path.join(disk.folder, 'full.db')}`
    const stores = stack.adopt(await prismaStores({ url }), (it) => it.close())
    await using started = await testServer({ decorate: () => stores })
    const { harness, models } = started
    models.onCall = (call) => call.answer('done')
    const { sessionId } = ok(await harness.createSession({ scopeId }, caller))
    const enqueue = (into: SessionId) =>
      harness.enqueuePrompt({ scopeId, sessionId: into, text: 'x'.repeat(PAYLOAD) }, caller)
    const readiness = async () => (await ready(harness, systemClock)).status
    expect(await readiness()).toBe(200)
    disk.fill()
    const outcome = () => enqueue(sessionId).then(({ ok: isOk }) => (isOk ? 'taken' : 'refused'), () => 'failed')
    while ((await outcome()) !== 'failed') continue
    expect(await readiness()).toBe(503)
    disk.makeRoom()
    expect(await readiness()).toBe(200)
    ok(await harness.createSession({ scopeId, sessionId: asSessionId('afterwards') }, caller))
    ok(await enqueue(asSessionId('afterwards')))
    expect(harness.isHealthy).toBe(true)
  })
})

describe.skipIf(!canMount || !(await canHavePostgresClusters()))('a disk that is full below PostgreSQL', () => {
  test('C73: commits fail and change nothing, and go on when there is room', async () => {
    await using cluster = await postgresCluster()
    await using disk = await smallDisk(48, cluster.owner)
    await using admin = await connected(cluster.url)
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk.folder}'`)
    await admin.query('CREATE DATABASE small TABLESPACE small')
    const url = new URL(cluster.url)
    url.pathname = 'small'
    await expectToSurvive(url.href, disk)
  })
})
