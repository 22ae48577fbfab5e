import { expect, test } from 'vitest'
import { asSessionId, type ScopeKey } from '../../src/kernel/ids.ts'
import { caller, ok, refusal, scopeId, type World } from '../support/world.ts'
import { chain, childrenOf, delegate, delegating, endsOf, say, treeOf, type WorldOptions } from '../support/delegating.ts'
import { textOf } from '../support/scripted-runs.ts'

const deep = { limits: { maxSubagentDepth: 8 } }
const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

/** Three sessions, each of which waits for the next; the last one is at work. Their ids, the root first. */
async function hanging(options: WorldOptions = deep) {
  const world = await delegating(options)
  await world.prompt(textOf(chain(2, { hang: 'first' })))
  return { world, tree: (await treeOf(world)).map(({ sessionId }) => sessionId) }
}

const slots = (world: World, scopeKey: ScopeKey, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await world.stores.structure.slot(scopeKey, asSessionId(id))).kind))

/** The ids of the tree as a client sees them. */
const cohortOf = async (world: World) =>
  (await treeOf(world)).map(({ sessionId, generation: { generationId, generationSequence } }) => ({
    sessionId,
    generationId,
    generationSequence,
  }))

test('D70: a tree that is delegating is deleted as a whole, the deepest first, and nothing of it goes on', async () => {
  const { world, tree } = await hanging()
  const working = world.models.last
  const { scopeKey } = await world.load()
  const deletion = remove(world)
  await world.clock.settle()
  expect(ok(await deletion)).toEqual(tree.toReversed())
  expect(working.wasReturned).toBe(true)
  expect(await slots(world, scopeKey, tree)).toEqual(['absent', 'absent', 'absent'])
  const events = (await world.events()).map(({ body, sessionId }) => [body.type, sessionId])
  expect(events).toEqual(tree.toReversed().map((id) => ['session.deleted', id]))
  expect(world.models.calls).toHaveLength(3)
})

test('D71: the call whose child is deleted fails, and its run goes on, while the child works', async () => {
  const { world, tree } = await hanging()
  const deletion = remove(world, tree[1])
  await world.clock.settle()
  expect(ok(await deletion)).toEqual([tree[2], tree[1]])
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_CANCELLED' } }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect((await world.load()).tree.descendants).toBe(0)
  expect((await treeOf(world)).map(({ work }) => work.kind)).not.toContain('running')
})

test('D71: the call whose child is deleted fails, and its run goes on, while the deepest works', async () => {
  const { world, tree } = await hanging()
  const deletion = remove(world, tree[2])
  await world.clock.settle()
  expect(ok(await deletion)).toEqual([tree[2]])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect(await endsOf(world, asSessionId(tree[1] ?? ''))).toEqual(['COMPLETED'])
  expect((await treeOf(world)).map(({ work }) => work.kind)).not.toContain('running')
})

test('D71: the call whose child is deleted fails, and its run goes on, while the child waits in line', async () => {
  const world = await delegating({ limits: { maxConcurrentRuns: 1 } })
  await world.prompt(textOf(delegate({ to: 'writer', script: { hang: 'first' } }, { to: 'writer', script: say('never') })))
  const [working, queued] = await childrenOf(world)
  expect(queued?.work.kind).toBe('queued')
  for (const sessionId of [queued, working].map((child) => child?.sessionId ?? '')) {
    const deletion = remove(world, sessionId)
    await world.clock.settle()
    expect(ok(await deletion)).toEqual([sessionId])
  }
  expect((await world.calls()).map(({ error }) => error?.code)).toEqual(['SUBAGENT_CANCELLED', 'SUBAGENT_CANCELLED'])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
})

test('D72: a cohort is that of the moment: a child that has been delegated to since is not deleted with it', async () => {
  const world = await delegating(deep)
  const { generation } = await world.load()
  const root = { sessionId: asSessionId('s'), ...generation }
  await world.prompt(textOf(chain(2, { hang: 'first' })))
  const early = await world.harness.deleteSessionGenerationCohort({ scopeId, root, authorizedCohort: [root] }, caller)
  expect(refusal(early)).toBe('COHORT_MISMATCH')
  expect(await treeOf(world)).toHaveLength(3)
  const tree = await treeOf(world)
  const { scopeKey } = await world.load()
  const deletion = world.harness.deleteSessionGenerationCohort({ scopeId, root, authorizedCohort: await cohortOf(world) }, caller)
  await world.clock.settle()
  ok(await deletion)
  const ids = tree.map(({ sessionId }) => sessionId)
  expect(await slots(world, scopeKey, ids)).toEqual(['absent', 'absent', 'absent'])
})

test('D73: a request to delegate goes with its session', async () => {
  const world = await delegating({ ...deep, policies: [] })
  await world.prompt(textOf(delegate({ to: 'writer', script: say('never') })))
  const { scopeKey } = await world.load()
  expect(await world.stores.permissions.inbox(scopeKey, undefined, 10)).toHaveLength(1)
  const deletion = remove(world)
  await world.clock.settle()
  expect(ok(await deletion)).toEqual(['s'])
  expect(await world.stores.permissions.inbox(scopeKey, undefined, 10)).toEqual([])
})
