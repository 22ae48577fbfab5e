import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'
import { Api, at, type Data, nodesOf } from './api.ts'
import { approving, callsWrite, respond, waiting } from './approving.ts'
import { type Shape, shapes, sprout } from './forest.ts'
import { plant } from './planted.ts'
import { withRollUpsChecked } from './roll-ups.ts'

const SEEN = `query ($id: ID!) { session(scopeId: "default", sessionId: $id) {
  depth descendantCount parent { sessionId } root { sessionId } ancestors { sessionId }
} }`

const LIST = `query ($id: ID!, $after: String, $size: Int) { session(scopeId: "default", sessionId: $id) {
  LIST { totalCount pageInfo { hasNextPage endCursor } edges { node { sessionId } } }
} }`

const idsOf = (sessions: unknown) => (sessions as readonly Data[]).map(({ sessionId }) => sessionId)

/** All pages of a list of sessions, one after another. */
async function everyPage(api: Api, list: string, variables: Data): Promise<readonly unknown[]> {
  const ids: unknown[] = []
  for (let after: unknown = null; ;) {
    const data = await api.data(LIST.replace('LIST', list), { ...variables, after })
    const page = Object.values(at(data, 'session') as Data)[0]
    ids.push(...idsOf(nodesOf(page)))
    after = at(page, 'pageInfo', 'endCursor')
    if (at(page, 'pageInfo', 'hasNextPage') !== true) {
      expect(at(page, 'totalCount')).toBe(ids.length)
      return ids
    }
  }
}

const children = (api: Api, id: string) => everyPage(api, 'children(first: $size, after: $after)', { id, size: 2 })
const below = (api: Api, id: string, maxDepth: number | null) =>
  everyPage(api, `descendants(first: $size, after: $after, maxDepth: ${maxDepth})`, { id, size: 3 })

test('A90: whatever the forest, each of its sessions tells the same of it, from all sides', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape: Shape) => {
      const world = await World.started()
      const api = new Api(world.harness)
      const forest = await sprout(world, shape)
      for (const { id, parent, line, kids, depths } of forest) {
        const { session } = await api.data(SEEN, { id })
        expect(session).toEqual({
          depth: line.length,
          descendantCount: depths.length,
          parent: parent === null ? null : { sessionId: parent },
          root: { sessionId: line[0] ?? id },
          ancestors: line.map((sessionId) => ({ sessionId })),
        })
        expect(await children(api, id)).toEqual(kids.toReversed())
        expect(await below(api, id, null)).toEqual(depths.map(({ id: inner }) => inner))
        const near = depths.filter(({ depth }) => depth <= line.length + 2)
        expect(await below(api, id, 2)).toEqual(near.map(({ id: inner }) => inner))
      }
    }),
    { numRuns: 15 },
  )
}, 60_000)

/** `s` with a child and a grandchild, and a root beside it. */
async function threeLevels() {
  const { world, api } = await approving()
  await world.session('other')
  const child = await plant(world.stores, { parent: await world.load(), id: 'child', at: world.clock.now(), agent: 'nobody' })
  await plant(world.stores, { parent: child, id: 'grandchild', at: world.clock.now(), agent: 'nobody' })
  return { world, api }
}

const STATUSES = `{ scope(id: "default") {
  sessions(filter: { rootsOnly: true }) { edges { node { sessionId status treeStatus } } }
  pendingPermissions { session { sessionId ancestors { sessionId } } }
} }`

const statuses = async (api: Api) => {
  const data = await api.data(STATUSES)
  const roots = nodesOf(at(data, 'scope', 'sessions')).map(({ sessionId, status, treeStatus }) => [
    sessionId,
    `${String(status)} ${String(treeStatus)}`,
  ])
  return { ...(Object.fromEntries(roots) as Data), asked: at(data, 'scope', 'pendingPermissions') }
}

test("A91: a grandchild's question is in the inbox of the scope, and shows at the root of its tree, until it is answered", async () => {
  const { world, api } = await threeLevels()
  const inbox = await api.watch('subscription { pendingPermissions(scopeId: "default") { state session { sessionId } } }')
  expect(await inbox.event()).toEqual([])
  expect(await statuses(api)).toEqual({ s: 'IDLE IDLE', other: 'IDLE IDLE', asked: [] })

  await callsWrite(world, { session: 'grandchild' })
  const asked = [{ session: { sessionId: 'grandchild', ancestors: [{ sessionId: 's' }, { sessionId: 'child' }] } }]
  expect(await statuses(api)).toEqual({ s: 'IDLE AWAITING_PERMISSION', other: 'IDLE IDLE', asked })
  expect(await inbox.event()).toEqual([{ state: 'PENDING', session: { sessionId: 'grandchild' } }])

  await respond(api, { permissionId: await waiting(api, 'grandchild'), decision: 'ONCE' })
  expect(await inbox.event()).toEqual([{ state: 'RESOLVED', session: { sessionId: 'grandchild' } }])
  await world.clock.settle()
  expect(await statuses(api)).toEqual({ s: 'IDLE BUSY', other: 'IDLE IDLE', asked: [] })
  world.tools.last.answer('done')
  await world.clock.settle()
  world.models.last.answer('Bye')
  await world.clock.settle()
  expect(await statuses(api)).toEqual({ s: 'IDLE IDLE', other: 'IDLE IDLE', asked: [] })
  await inbox.stop()
})

test('A92: after every commit, each session shows the tokens and the number of those below it', async () => {
  const clock = virtualClock()
  const { stores, checks } = withRollUpsChecked(memoryStores({ clock }))
  const world = await World.started({ stores, clock })
  const api = new Api(world.harness)
  world.models.onCall = (call) => void call.answer('Hello')
  const shape: Shape = [null, 0, 1, 1, 0, null, 5]
  const forest = await sprout(world, shape)
  await Promise.all(forest.map(({ id }) => world.enqueue('Hi', { sessionId: asSessionId(id) })))
  await world.clock.settle()
  expect(checks()).toBeGreaterThan(shape.length)
  const data = await api.data(`{ scope(id: "default") { sessions { edges { node {
    sessionId descendantCount usage { totalTokens } treeUsage { inputTokens outputTokens totalTokens }
  } } } } }`)
  for (const { sessionId, descendantCount, usage, treeUsage } of nodesOf(at(data, 'scope', 'sessions'))) {
    const size = (forest.find(({ id }) => id === sessionId)?.depths.length ?? 0) + 1
    expect(usage).toEqual({ totalTokens: 5 })
    expect({ descendantCount, treeUsage }).toEqual({
      descendantCount: size - 1,
      treeUsage: { inputTokens: 2 * size, outputTokens: 3 * size, totalTokens: 5 * size },
    })
  }
})

const EVENTS = `subscription ($session: ID, $below: Boolean, $after: String) {
  events(scopeId: "default", sessionId: $session, includeDescendants: $below, after: $after) {
    __typename sessionId cursor
    ... on SessionCreatedEvent { agent depth session { parent { sessionId } } }
    ... on PartDeltaEvent { delta }
    ... on RunFinishedEvent { status }
  }
}`

test('A93: who watches a session hears everything of those that are created below it later, and of no others', async () => {
  const { world, api } = await threeLevels()
  const [tree, scope, alone] = await Promise.all([
    api.watch(EVENTS, { session: 's' }),
    api.watch(EVENTS),
    api.watch(EVENTS, { session: 's', below: false }),
  ])
  const parent = await world.load('grandchild')
  await plant(world.stores, { parent, id: 'later', at: world.clock.now(), agent: 'nobody' })
  await plant(world.stores, { parent: await world.load('other'), id: 'elsewhere', at: world.clock.now(), agent: 'nobody' })
  for (const id of ['elsewhere', 'later']) {
    await world.prompt('Hi', { sessionId: asSessionId(id) })
    const call = world.models.last.start().delta('Hel')
    await world.clock.advance(20)
    call.delta('lo').end().finish()
    await world.clock.settle()
  }
  await world.abort()
  const isLast = ({ __typename, sessionId }: Data) => __typename === 'RunFinishedEvent' && sessionId === 'later'
  const heard = await tree.until(isLast)
  expect(new Set(heard.map(({ sessionId }) => sessionId))).toEqual(new Set(['later']))
  expect(heard[0]).toMatchObject({
    __typename: 'SessionCreatedEvent',
    agent: null,
    depth: 3,
    session: { parent: { sessionId: 'grandchild' } },
  })
  expect(heard.flatMap(({ delta }) => (typeof delta === 'string' ? [delta] : [])).join('')).toBe('Hello')
  const all = await scope.until(isLast)
  expect(all.filter(({ sessionId }) => sessionId === 'later')).toEqual(heard)
  expect(all.length).toBeGreaterThan(heard.length)

  await world.prompt('Hi')
  expect(await alone.event()).toMatchObject({ sessionId: 's' })
  const again = await api.watch(EVENTS, { session: 's', after: heard[0]?.['cursor'] })
  const durable = heard.filter(({ cursor }) => cursor !== null).slice(1)
  expect(await again.events(durable.length)).toEqual(durable)
  for (const feed of [tree, scope, alone, again]) await feed.stop()
})
