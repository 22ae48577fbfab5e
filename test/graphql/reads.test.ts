import { expect, test } from 'vitest'
import { asRunId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { newWriteId, nextRow } from '../contract/support/world.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'
import { Api, at, nodesOf } from './api.ts'
import { countingStores } from './counting-stores.ts'
import { exampleOperations } from './example-operations.ts'
import { plant } from './planted.ts'

/** Three roots with five children each, every child with two of its own; each root has run `runs` prompts. */
async function forest(runs = 2) {
  const clock = virtualClock()
  const counting = countingStores(memoryStores({ clock }))
  const world = await World.started({ stores: counting.stores, clock })
  world.models.onCall = (call) => void call.answer('Hello')
  for (const root of ['a', 'b', 'c']) {
    await world.session(root)
    const parent = await world.load(root)
    for (let i = 0; i < 5; i++) {
      const child = await plant(counting.stores, { parent, id: `${root}${i}`, at: clock.now() + i })
      for (const id of [`${root}${i}x`, `${root}${i}y`]) {
        await plant(counting.stores, { parent: child, id, at: clock.now(), agent: 'nobody' })
      }
    }
    for (let i = 0; i < runs; i++) await world.prompt(`prompt ${i}`, { sessionId: parent.sessionId })
  }
  const api = new Api(world.harness)
  const readsOf = async (source: string, variables: Record<string, unknown> = {}) => {
    counting.reset()
    const data = await api.data(source, variables)
    return { data, reads: Object.fromEntries(counting.reads) }
  }
  return { world, api, readsOf }
}

test('A8: a tree costs one read for each level, however wide it is', async () => {
  const { readsOf } = await forest()
  const { data, reads } = await readsOf(`{ scope(id: "default") { sessions(filter: { rootsOnly: true }) { edges { node {
    sessionId treeStatus
    children { totalCount edges { node {
      sessionId treeStatus
      children { totalCount edges { node {
        sessionId ancestors { sessionId } parent { sessionId } root { sessionId }
      } } }
    } } }
  } } } } }`)
  expect(reads).toEqual({
    'scopes.findNamed': 1,
    'sessions.page': 1,
    'sessions.children': 2,
    'sessions.countChildren': 2,
    'sessions.subtreeStatuses': 2,
  })
  const [root] = nodesOf(at(data, 'scope', 'sessions'))
  const [child] = nodesOf(root?.['children'])
  const [grandchild] = nodesOf(child?.['children'])
  expect(at(root, 'children', 'totalCount')).toBe(5)
  expect(grandchild?.['ancestors']).toEqual([{ sessionId: root?.['sessionId'] }, { sessionId: child?.['sessionId'] }])
  expect(grandchild?.['parent']).toEqual({ sessionId: child?.['sessionId'] })
  expect(grandchild?.['root']).toEqual({ sessionId: root?.['sessionId'] })
})

test('A8: what sessions contain costs one read for each list', async () => {
  const { readsOf } = await forest()
  const { data, reads } = await readsOf(`{ scope(id: "default") { sessions(filter: { rootsOnly: true }) { edges { node {
    queue { queueId run { runId } }
    lastRun { runId entry { queueId } session { sessionId } }
    runs { totalCount edges { node { runId messages { totalCount edges { node { sessionId } } } } } }
    messages { totalCount edges { node { run { runId } parts { partId } } } }
  } } } } }`)
  expect(reads).toEqual({
    'scopes.findNamed': 1,
    'sessions.page': 1,
    'queue.views': 1,
    'queue.findMany': 1,
    'runs.latest': 1,
    'runs.pages': 1,
    'runs.findMany': 1,
    // The conversation, that of each run, and how long each run's is.
    'messages.pages': 3,
    'messages.parts': 1,
  })
  const roots = nodesOf(at(data, 'scope', 'sessions'))
  expect(roots).toHaveLength(3)
  for (const root of roots) {
    expect(at(root, 'queue')).toHaveLength(2)
    expect(at(root, 'messages', 'totalCount')).toBe(4)
    expect(nodesOf(root['runs']).map(({ messages }) => at(messages, 'totalCount'))).toEqual([2, 2])
  }
})

test('A8: the same list with other arguments is another read, with the same arguments the same', async () => {
  const { readsOf } = await forest(0)
  const { data, reads } = await readsOf(`{ session(scopeId: "default", sessionId: "a") {
    one: children(first: 1) { edges { node { sessionId } } }
    again: children(first: 1) { edges { node { sessionId } } }
    two: children(first: 2) { edges { node { sessionId } } }
  } }`)
  expect(reads['sessions.children']).toBe(1)
  expect(nodesOf(at(data, 'session', 'one'))).toHaveLength(1)
  expect(nodesOf(at(data, 'session', 'again'))).toHaveLength(1)
  expect(nodesOf(at(data, 'session', 'two'))).toHaveLength(2)
})

const costs: Readonly<Record<string, number>> = { Dashboard: 5, Tree: 7, Conversation: 9, Log: 3, Harness: 0 }

test.each(Object.entries(costs))('A8: %s costs %i reads', async (name, most) => {
  const { readsOf } = await forest()
  const source = exampleOperations.find((operation) => operation.name === name)?.source ?? ''
  const { reads } = await readsOf(source, { scope: 'default', session: 'a' })
  expect(Object.values(reads).reduce((sum, count) => sum + count, 0)).toBe(most)
})

test('a flat tree is in order, at any depth, and counted', async () => {
  const { api } = await forest(0)
  const source = `query ($depth: Int) { session(scopeId: "default", sessionId: "a") {
    descendantCount
    descendants(first: 200, maxDepth: $depth) { totalCount totalCountCapped edges { node { sessionId depth } } }
  } }`
  const all = await api.data(source)
  expect(at(all, 'session', 'descendantCount')).toBe(15)
  expect(at(all, 'session', 'descendants')).toMatchObject({ totalCount: 15, totalCountCapped: false })
  const order = nodesOf(at(all, 'session', 'descendants')).map(({ sessionId }) => sessionId)
  expect(order.slice(0, 4)).toEqual(['a0', 'a0x', 'a0y', 'a1'])
  const children = await api.data(source, { depth: 1 })
  expect(at(children, 'session', 'descendants')).toMatchObject({ totalCount: 5 })
  expect(nodesOf(at(children, 'session', 'descendants')).map(({ depth }) => depth)).toEqual([1, 1, 1, 1, 1])
})

test('a session that waits for a person shows at its root, and is found by that', async () => {
  const { world, api } = await forest(0)
  const waiting = await world.load('a3y')
  const runId = asRunId('a run')
  const work = { kind: 'running', since: waiting.createdAt, runId, run: 0, doing: 'AWAITING_PERMISSION' } as const
  const change = { scopeKey: waiting.scopeKey, created: [], rollUps: [], rows: [], events: [] }
  await world.stores.unit.commit(newWriteId(), [{ ...change, sessions: [nextRow(waiting, { work })] }])
  const data = await api.data(`{ scope(id: "default") {
    roots: sessions(filter: { rootsOnly: true }) { edges { node { sessionId status treeStatus } } }
    waiting: sessions(filter: { status: AWAITING_PERMISSION }) { totalCount edges { node { sessionId status } } }
    busy: sessions(filter: { status: BUSY }) { totalCount }
  } }`)
  const roots = nodesOf(at(data, 'scope', 'roots')).map(({ sessionId, status, treeStatus }) => [sessionId, status, treeStatus])
  expect(new Set(roots)).toEqual(
    new Set([
      ['a', 'IDLE', 'AWAITING_PERMISSION'],
      ['b', 'IDLE', 'IDLE'],
      ['c', 'IDLE', 'IDLE'],
    ]),
  )
  expect(at(data, 'scope', 'waiting', 'totalCount')).toBe(1)
  expect(nodesOf(at(data, 'scope', 'waiting'))).toEqual([{ sessionId: 'a3y', status: 'AWAITING_PERMISSION' }])
  expect(at(data, 'scope', 'busy', 'totalCount')).toBe(0)
})

test('the status of a tree shows at its root', async () => {
  const { world, api } = await forest(0)
  world.models.onCall = undefined
  const source =
    '{ session(scopeId: "default", sessionId: "a") { status treeStatus activity { kind runId } activeRun { status } } }'
  expect(at(await api.data(source), 'session')).toMatchObject({ status: 'IDLE', treeStatus: 'IDLE', activeRun: null })
  const { sessionId } = await world.load('a3y')
  await world.prompt('work', { sessionId })
  expect(at(await api.data(source), 'session')).toMatchObject({ status: 'IDLE', treeStatus: 'BUSY', activeRun: null })
})
