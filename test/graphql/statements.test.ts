import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asScopeId, asSessionId } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { caller, ok, World } from '../support/world.ts'
import { Api, at, nodesOf } from './api.ts'
import { exampleOperations } from './example-operations.ts'
import { plant } from './planted.ts'

const folder = mkdtempSync(join(tmpdir(), 'statements-'))
const statements: string[] = []
let stores: Stores
let api: Api
let world: World

/** Twelve sessions on three levels; the first of them has run three prompts, and it and the second ask a person. */
beforeAll(async () => {
  stores = await prismaStores({ url: `file:${join(folder, 'harness.db')}`, onStatement: (sql) => statements.push(sql) })
  world = await World.started({ stores })
  api = new Api(world.harness)
  world.models.onCall = (call) => void call.answer('Hello')
  const root = await world.session('first')
  const parent = await world.load('first')
  for (let i = 0; i < 3; i++) await world.enqueue(`prompt ${i}`, { sessionId: root })
  for (let i = 0; i < 3; i++) {
    const child = await plant(stores, { parent, id: `child-${i}`, at: world.clock.now() })
    for (const which of ['a', 'b'])
      await plant(stores, { parent: child, id: `child-${i}-${which}`, at: world.clock.now() })
  }
  for (const id of ['second', 'third']) await world.session(id)
  while ((await world.load('first')).work.kind !== 'idle') await world.clock.settle()
  world.tools.add('write')
  world.models.onCall = (call) => void call.calls('write', {}).finish('continue')
  for (const id of ['first', 'second']) await world.enqueue('write', { sessionId: asSessionId(id) })
  while ((await stores.permissions.inbox(parent.scopeKey, undefined, 9)).length < 2) await world.clock.settle()
})

afterAll(async () => {
  await stores.close()
  rmSync(folder, { recursive: true })
})

test.each([
  ['Harness', 0],
  ['Dashboard', 6],
  ['Tree', 7],
  ['Conversation', 10],
  ['Family', 6],
  ['Delegated', 4],
  ['Log', 3],
])('A8: %s costs %i SQL statements', async (name, count) => {
  const operation = exampleOperations.find((it) => it.name === name)
  statements.length = 0
  await api.data(operation?.source ?? '', { scope: 'default', session: 'first' })
  expect(statements.map((sql) => sql.replaceAll(/\s+/g, ' ').slice(0, 80))).toHaveLength(count)
})

const scopes = `query ($first: Int, $after: String) { scopes(first: $first, after: $after) {
  edges { cursor node { id scopeId revision lifecycle } }
} }`

test.each([2, 20])('A8: a page of %i scopes costs as many SQL statements as any other', async (first) => {
  for (let i = 0; i < first; i++) ok(await world.harness.createSession({ scopeId: asScopeId(`${first}/${i}`) }, caller))
  statements.length = 0
  const page = nodesOf((await api.data(scopes, { first }))['scopes'])
  expect([page.length, statements.length]).toEqual([first, 2])
  const [edge] = at(await api.data(scopes, { first: 1 }), 'scopes', 'edges') as { cursor: string }[]
  statements.length = 0
  expect(nodesOf((await api.data(scopes, { first, after: edge?.cursor }))['scopes'])).toHaveLength(first)
  expect(statements).toHaveLength(3)
})
