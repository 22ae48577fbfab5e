import { describe, expect, test } from 'vitest'
import type { EnqueuePrompt } from '../../src/runtime/harness.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { chain, childrenOf, delegate, endsOf, expectTreeSettled, say, treeOf } from '../support/delegating.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const ttlMs = 10_000

/** Servers that share stores and a clock. */
function cluster() {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const join = async (limits: ConstructorParameters<typeof World>[0] = {}) => {
    const { stores: own, kill } = mortalStores(stores)
    const policies = [{ tool: 'delegate', effect: 'allow' }] as const
    const options = { recovery: 'RESUME', leases: { ttlMs }, subagents: agents, policies } as const
    const world = new World({ clock, stores: own, ...options, limits: { maxSubagentDepth: 4 }, ...limits })
    world.tools.add('touch')
    followScripts(world.models)
    await world.harness.start()
    return { world, kill }
  }
  return { clock, join }
}

test('G73: children run in the process of their parents, also those that wait there for a slot for longer than a lease', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join({ limits: { maxConcurrentRuns: 1, maxSubagentDepth: 4 } })
  const { world: second } = await join()
  await first.session('other')
  await first.session()
  await first.prompt(textOf({ hang: 'first' }))
  await first.prompt(textOf({ hang: 'first' }), { sessionId: asSessionId('other') })
  const input = { description: 'x', prompt: textOf(say('found')), subagentType: 'writer' }
  first.models.last.calls('delegate', input).finish('continue')
  await clock.advance(6 * ttlMs)
  const [child] = await childrenOf(first)
  expect(await endsOf(first, child?.sessionId)).toEqual(['queued'])
  first.models.last.answer('done')
  await clock.settle()
  expect(second.models.calls).toHaveLength(0)
  first.models.last.answer('found')
  await clock.settle()
  expect(await endsOf(first, child?.sessionId)).toEqual(['COMPLETED'])
  await expectTreeSettled(first)
})

test('G73: a take-over takes the tree: it goes on in one process, and no child runs twice', async () => {
  const { clock, join } = cluster()
  const { world: first, kill } = await join()
  const { world: second } = await join()
  const { world: third } = await join()
  await first.session()
  await first.prompt(textOf(chain(3, { hang: 'first' })))
  expect(await treeOf(first)).toHaveLength(4)
  kill()
  await clock.advance(4 * ttlMs)
  const owners = new Set((await treeOf(second)).map(({ owner }) => owner))
  expect(owners.size).toBe(1)
  const taker = second.models.calls.length > 0 ? second : third
  expect(second.models.calls.length + third.models.calls.length).toBe(1)
  taker.models.last.answer('the end')
  await clock.settle()
  for (const { sessionId } of await treeOf(second)) {
    expect(await endsOf(second, sessionId)).toEqual(['COMPLETED'])
    expect((await second.runs(sessionId)).map(({ attempts }) => attempts)).toEqual([2])
  }
  await expectTreeSettled(second)
})

test('G74: aborts and answers that come through another process go down the tree', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join()
  const { world: second } = await join()
  await first.session()
  await first.prompt(textOf(chain(2, { call: ['touch'] })))
  const [, , deepest] = await treeOf(first)
  const [asked] = await second.permissions(deepest?.sessionId)
  if (!asked) throw new Error('Somebody is asked.')
  const { permissionId } = asked
  ok(await second.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller))
  await clock.advance(2_000)
  expect(first.tools.executions).toHaveLength(1)
  expect(await second.abort()).not.toBeNull()
  await clock.advance(20_000)
  for (const { sessionId } of await treeOf(second)) expect(await endsOf(second, sessionId)).toEqual(['CANCELLED'])
  await expectTreeSettled(second)
})

test('G74: a child that is cancelled through another process before it begins ends its call', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join({ limits: { maxConcurrentRuns: 1 } })
  const { world: second } = await join()
  await first.session('other')
  await first.session()
  await first.prompt(textOf({ hang: 'first' }))
  await first.prompt(textOf({ hang: 'first' }), { sessionId: asSessionId('other') })
  const input = { description: 'x', prompt: textOf(say('never')), subagentType: 'writer' }
  first.models.last.calls('delegate', input).finish('continue')
  await clock.settle()
  const [child] = await childrenOf(first)
  const sessionId = child?.sessionId ?? asSessionId('none')
  const [entry] = await first.entries(sessionId)
  if (!entry) throw new Error('The child waits.')
  const { queueId } = entry
  expect(ok(await second.harness.cancelPrompt({ scopeId, sessionId, queueId }, caller))).toBe(true)
  await clock.advance(3_000)
  first.models.last.answer('other')
  await clock.settle()
  expect(await first.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_CANCELLED' } }])
  first.models.last.answer('without')
  await clock.settle()
  expect(await endsOf(first)).toEqual(['COMPLETED'])
  await expectTreeSettled(first)
})

test('G75: a process from which its tree was taken lets all of it go, and writes nothing of it any more', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join({ leases: { ttlMs, lookMs: 1_000_000 } })
  const { world: second } = await join()
  await first.session()
  await first.prompt(textOf(delegate({ to: 'writer', script: { hang: 'first' } })))
  const stale = first.models.last
  await first.stores.instances?.leave((await first.load()).owner ?? '')
  await clock.advance(2_500)
  expect((await second.runs())[0]).toMatchObject({ attempts: 2 })
  stale.answer('too late')
  await clock.settle()
  second.models.last.answer('in time')
  await clock.advance(20_000)
  const [child] = await childrenOf(second)
  expect(await second.calls()).toMatchObject([{ output: { text: 'in time' } }])
  expect(await endsOf(second, child?.sessionId)).toEqual(['COMPLETED'])
  await expectTreeSettled(second)
})

describe('G77: a process from which a tree was taken and that does not know it yet', () => {
  const blind = { leases: { ttlMs, lookMs: 1_000_000 }, policies: [{ tool: '*', effect: 'allow' }] } as const

  /** Two processes; the tree of the first one, which is at work, has just been taken by the second one. */
  async function taken(options: Partial<EnqueuePrompt> = {}) {
    const { clock, join } = cluster()
    const { world: first } = await join(blind)
    const { world: second } = await join()
    await first.session()
    await first.prompt(textOf({ delegate: [{ to: 'writer', script: { hang: 'first' } }], call: ['touch'] }), options)
    await first.stores.instances?.leave((await first.load()).owner ?? '')
    await clock.advance(2_500)
    expect((await second.runs())[0]).toMatchObject({ attempts: 2 })
    const [child] = await childrenOf(second)
    return { clock, first, second, childId: child?.sessionId }
  }

  test('G77: does not stop its children when a call beside them ends', async () => {
    const { clock, first, second, childId } = await taken()
    first.tools.last.answer('late')
    await clock.settle()
    second.models.last.answer('in time')
    await clock.advance(2_500)
    expect(await endsOf(second, childId)).toEqual(['COMPLETED'])
    expect((await second.calls())[0]).toMatchObject({ output: { text: 'in time' } })
  })

  test('G77: does not stop its children when its budget is used up', async () => {
    const { clock, second, childId } = await taken({ options: { budget: { idleMs: 2_600 } } })
    await clock.advance(400)
    second.models.last.answer('in time')
    await clock.advance(1_000)
    expect(await endsOf(second, childId)).toEqual(['COMPLETED'])
  })
})
