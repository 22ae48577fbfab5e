import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { ready } from '../../src/server/http/health.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { openWorld } from '../contract/support/world.ts'
import { testServer } from '../server/test-server.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import { postgresUrl } from '../support/postgres.ts'
import { canHaveSmallDisks, ownerOf, type SmallDisk, smallDisk } from '../support/small-disk.ts'
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
  test('C73: below SQLite, commits fail and change nothing, the store is not ready, and goes on when there is room', async () => {
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
    const enqueue = () => harness.enqueuePrompt({ scopeId, sessionId, text: 'x'.repeat(PAYLOAD) }, caller)
    const readiness = async () => (await ready(harness, systemClock)).status
    expect(await readiness()).toBe(200)
    disk.fill()
    const outcome = async () => enqueue().then(({ ok: isOk }) => (isOk ? 'taken' : 'refused'), () => 'failed')
    while ((await outcome()) !== 'failed') continue
    expect(await readiness()).toBe(503)
    disk.makeRoom()
    expect(await readiness()).toBe(200)
    await expect.poll(outcome).toBe('taken')
    expect(harness.isHealthy).toBe(true)
  })
})

describe.skipIf(!canMount || (await dataFolder()) === undefined)('a disk that is full below PostgreSQL', () => {
  test('C73: commits fail and change nothing, the store is not ready, and goes on when there is room', async () => {
    const server = await postgresUrl()
    await using disk = await smallDisk(48, await ownerOf((await dataFolder()) ?? ''))
    await using admin = await connected(server ?? '')
    const name = `flexharness_test_${randomBytes(8).toString('hex')}`
    await admin.query(`CREATE TABLESPACE ${name} LOCATION '${disk.folder}'`)
    try {
      await admin.query(`CREATE DATABASE ${name} TABLESPACE ${name}`)
      const url = new URL(server ?? '')
      url.pathname = name
      await expectToSurvive(url.href, disk)
    } finally {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await admin.query(`DROP TABLESPACE ${name}`)
    }
  })
})

/** The folder of the server's data, if the server is on this machine. */
async function dataFolder(): Promise<string | undefined> {
  const url = await postgresUrl()
  if (url === undefined) return undefined
  await using client = await connected(url)
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
  const folder = rows[0]?.data_directory
  try {
    await ownerOf(folder ?? '')
    return folder
  } catch {
    return undefined
  }
}
