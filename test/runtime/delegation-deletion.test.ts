import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { chain, childrenOf, delegate, delegating, endsOf, treeOf, type WorldOptions } from '../support/delegating.ts'
import { agents, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)
const gone = { code: 'SUBAGENT_CANCELLED', message: 'The subagent was stopped. Its session was deleted.' }

/** A root that has delegated; its child is at work, or waits for the only slot. */
async function delegated(child: 'works' | 'waits', options: WorldOptions = {}) {
  const world = await delegating({ limits: { maxConcurrentRuns: child === 'waits' ? 1 : 64 }, ...options })
  await world.session('other')
  await world.prompt(textOf({ hang: 'first' }))
  const { last } = world.models
  if (child === 'waits') await world.prompt(textOf({ hang: 'first' }), { sessionId: asSessionId('other') })
  last.calls('delegate', { description: 'x', prompt: textOf({ hang: 'first' }), subagentType: 'writer' }).finish('continue')
  await world.clock.settle()
  const [session] = await childrenOf(world)
  return { world, id: session?.sessionId ?? '' }
}

/** The root was told, and goes on to its end. */
async function expectGoneOn(world: World): Promise<void> {
  if ((await world.load('other')).work.kind === 'running') await world.abortIn('other')
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: gone }])
  world.models.last.answer('Well then.')
  await world.clock.settle()
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect((await world.load()).work.kind).toBe('idle')
}

test.for(['works', 'waits'] as const)('G91: a child that %s and is deleted fails its call, and its parent goes on', async (what) => {
  const { world, id } = await delegated(what)
  ok(await remove(world, id))
  await world.clock.settle()
  expect(await childrenOf(world)).toEqual([])
  await expectGoneOn(world)
})

test.for(['works', 'waits'] as const)('G91: so it is when it %s and another process deletes it', async (what) => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const { world, id } = await delegated(what, { clock, stores })
  const other = await World.started({ clock, stores, recovery: 'RESUME', subagents: agents })
  const deletion = remove(other, id)
  await clock.advance(5_000)
  ok(await deletion)
  await expectGoneOn(world)
})

test('G91: a tree in which everything waits for each other is deleted as a whole', async () => {
  const world = await delegating({ limits: { maxSubagentDepth: 8 } })
  await world.prompt(textOf(chain(3, { hang: 'first' })))
  const ids = (await treeOf(world)).map(({ sessionId }) => sessionId)
  expect(ok(await remove(world))).toEqual(ids.toReversed())
  expect(ids).toHaveLength(4)
})

test('G91: a child that was deleted is as unknown to a later run as any other id', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'writer', script: { say: 'one' } })))
  const [child] = await childrenOf(world)
  ok(await remove(world, child?.sessionId))
  await world.prompt(textOf(delegate({ to: 'writer', script: { say: 'two' }, taskId: child?.sessionId ?? '' })))
  expect((await world.calls()).at(-1)).toMatchObject({ status: 'FAILED', error: { code: 'VALIDATION_FAILED' } })
  expect(await endsOf(world)).toEqual(['COMPLETED', 'COMPLETED'])
})
