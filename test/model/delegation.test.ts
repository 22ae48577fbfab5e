import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { chain, childrenOf, delegate, endsOf, expectTreeSettled, say, treeOf } from '../support/delegating.ts'
import { heldStores } from '../support/held-stores.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { postgresUrl, scratchDatabase } from '../support/postgres.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

const server = await postgresUrl()
const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())

async function openSqlite(): Promise<Stores> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-delegation-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const stores = await prismaStores({ url: `file:${path.join(folder, 'tree.db')}` })
  opened.defer(() => stores.close())
  return stores
}

async function openPostgres(): Promise<Stores> {
  const database = await scratchDatabase()
  opened.defer(() => database.drop())
  const stores = await prismaStores({ url: database.url })
  opened.defer(() => stores.close())
  return { ...stores, instances: null }
}

/** A tree that loses its process, is taken up, goes on with a child, and is aborted. */
async function expectStory(stores: Stores): Promise<void> {
  const clock = virtualClock()
  let kill = () => {}
  const next = async () => {
    kill()
    const mortal = mortalStores(heldStores(stores, clock))
    kill = mortal.kill
    const policies = [{ tool: '*', effect: 'allow' }] as const
    const limits = { maxSubagentDepth: 3, maxConcurrentRuns: 2 }
    const world = new World({ clock, stores: mortal.stores, recovery: 'RESUME', subagents: agents, policies, limits })
    followScripts(world.models)
    await world.harness.start()
    await clock.advance(1_000)
    return world
  }
  const first = await next()
  await first.session()
  await first.prompt(textOf(delegate({ to: 'writer', script: say('beside') }, { to: 'researcher', script: chain(2, { hang: 'first' }) })))
  await clock.advance(1_000)
  expect((await treeOf(first)).map(({ place }) => place.depth).toSorted((a, b) => a - b)).toEqual([0, 1, 1, 2, 3])
  const second = await next()
  second.models.last.answer('deep')
  await clock.advance(1_000)
  const tree = await treeOf(second)
  for (const { sessionId } of tree) expect(await endsOf(second, sessionId)).toEqual(['COMPLETED'])
  expect(tree[0]?.tree).toMatchObject({ descendants: 4, usage: { totalTokens: 40 } })
  await expectTreeSettled(second)
  const taskId = (await childrenOf(second)).find(({ place }) => place.agent === 'writer')?.sessionId ?? ''
  await second.prompt(textOf(delegate({ to: 'writer', script: { hang: 'first' }, taskId })))
  await clock.advance(1_000)
  await second.abort()
  await clock.advance(1_000)
  expect([await endsOf(second), await endsOf(second, taskId)]).toEqual([
    ['COMPLETED', 'CANCELLED'],
    ['COMPLETED', 'CANCELLED'],
  ])
  await expectTreeSettled(second)
}

test('G69: a tree is delegated, taken up, resumed and aborted on SQLite as in memory', { timeout: 60_000 }, async () => {
  await expectStory(await openSqlite())
})

describe.skipIf(server === undefined)('PostgreSQL', () => {
  test('G69: a tree is delegated, taken up, resumed and aborted as in memory', { timeout: 60_000 }, async () => {
    await expectStory(await openPostgres())
  })
})
