import { describe, expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'
import { chain, childrenOf, delegate, delegating, endsOf, expectTreeSettled, say, treeOf, type WorldOptions } from '../support/delegating.ts'
import { agents, followScripts, inputOf, textOf } from '../support/scripted-runs.ts'

const deep = { limits: { maxSubagentDepth: 8 } }

/** Three sessions, each of which waits for the next; the last one is at work. */
async function hanging(options: WorldOptions = deep): Promise<World> {
  const world = await delegating(options)
  await world.prompt(textOf(chain(2, { hang: 'first' })))
  return world
}

/** How each session of the tree ended: status and message of its last prompt, the root first. */
async function endings(world: World) {
  const all = await Promise.all((await treeOf(world)).map(({ sessionId }) => world.entries(sessionId)))
  return all.map((entries) => {
    const state = entries.toSorted((a, b) => b.ordinal - a.ordinal)[0]?.state
    return state?.kind === 'finished' ? `${state.status} ${state.error?.message ?? ''}`.trim() : state?.kind
  })
}

/** The ends of runs and prompts as they were told, by the depth of their session. */
async function told(world: World, ...types: readonly string[]) {
  const depths = new Map((await treeOf(world)).map(({ key, place }) => [key, place.depth]))
  return (await world.events()).flatMap(({ sessionKey, body }) =>
    types.includes(body.type) ? [`${depths.get(sessionKey)} ${body.type}`] : [],
  )
}

test('G60: an abort of a run aborts what it waits for, to the bottom; each ends after its child, by the same reason', async () => {
  const world = await hanging()
  await world.abort()
  expect(await endings(world)).toEqual(Array.from({ length: 3 }, () => 'CANCELLED The run was aborted.'))
  expect(await told(world, 'run.finished')).toEqual(['2 run.finished', '1 run.finished', '0 run.finished'])
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_CANCELLED' } }])
  await expectTreeSettled(world)
})

test('G60: after a run has ended nothing more is told of it or of what it delegated', async () => {
  const world = await hanging()
  await world.abort()
  const events = await world.events()
  const last = events.findLast(({ body, sessionId }) => body.type === 'run.finished' && sessionId === 's')
  expect(events.at(-1)).toBe(last)
})

test('G61: an abort takes the prompt of a child that has not begun out of its queue', async () => {
  const world = await delegating({ limits: { maxConcurrentRuns: 1 } })
  await world.session('other')
  await world.prompt(textOf({ hang: 'first' }))
  await world.prompt(textOf({ hang: 'first' }), { sessionId: asSessionId('other') })
  world.models.last.calls('delegate', { description: 'x', prompt: textOf(say('never')), subagentType: 'writer' }).finish('continue')
  await world.clock.settle()
  await world.abort()
  const [child] = await childrenOf(world)
  expect(await endsOf(world)).toEqual(['CANCELLED'])
  expect(await endsOf(world, child?.sessionId)).toEqual(['CANCELLED'])
  expect(await told(world, 'run.started')).not.toContain('1 run.started')
  await world.abortIn('other')
  await expectTreeSettled(world)
})

test('G61: an abort stops the prompt that the run waits for, and no other of that session', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
  const taskId = (await childrenOf(world))[0]?.sessionId ?? ''
  await world.prompt(textOf(delegate({ to: 'writer', script: { hang: 'first' }, taskId })))
  await world.abort()
  expect(await endsOf(world, taskId)).toEqual(['COMPLETED', 'CANCELLED'])
  await world.prompt(textOf(delegate({ to: 'writer', script: say('third'), taskId })))
  expect(await endsOf(world, taskId)).toEqual(['COMPLETED', 'CANCELLED', 'COMPLETED'])
  await expectTreeSettled(world)
})

test('G62: an abort of a child ends its call with an error, and the parent goes on', async () => {
  const world = await hanging()
  const [child] = await childrenOf(world)
  ok(await world.harness.abortRun({ scopeId, sessionId: child?.sessionId ?? asSessionId('') }, caller))
  await world.clock.settle()
  expect(await endings(world)).toEqual(['COMPLETED', 'CANCELLED The run was aborted.', 'CANCELLED The run was aborted.'])
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_CANCELLED' } }])
  await expectTreeSettled(world)
})

test('G63: a run that fails beside a child stops it first, with a reason that says no more than that', async () => {
  const world = await delegating({ limits: { maxToolBytes: 300 } })
  world.tools.add('burn')
  await world.prompt(textOf({ delegate: [{ to: 'writer', script: { hang: 'first' } }], call: ['burn'] }))
  world.tools.last.answer('x'.repeat(400))
  await world.clock.settle()
  expect(await endings(world)).toEqual([
    'FAILED The run produced more than 300 bytes of tool data.',
    'CANCELLED The run that delegated this prompt failed.',
  ])
  expect(await told(world, 'run.finished')).toEqual(['1 run.finished', '0 run.finished'])
  await expectTreeSettled(world)
})

test('G64: an abort reaches a child that waits for a person, and nothing can be answered any more', async () => {
  const world = await delegating({ policies: [{ tool: 'delegate', effect: 'allow' }] })
  world.tools.add('touch')
  await world.prompt(textOf(delegate({ to: 'writer', script: { call: ['touch'] } })))
  const [child] = await childrenOf(world)
  expect(await world.permissions(child?.sessionId)).toMatchObject([{ state: { kind: 'pending' } }])
  await world.abort()
  expect(await world.permissions(child?.sessionId)).toMatchObject([{ state: { decision: 'CANCELLED' } }])
  expect(world.tools.executions).toHaveLength(0)
  await expectTreeSettled(world)
})

describe('G65: trees that wait for each other end', () => {
  test('G65: by a fence', async () => {
    const world = await hanging()
    ok(await world.harness.fenceScope({ scopeId, reason: 'A test.' }, caller))
    await world.clock.settle()
    const fenced = 'The scope was fenced before this run completed. A test.'
    expect(await endings(world)).toEqual([`FAILED ${fenced}`, `CANCELLED ${fenced}`, `CANCELLED ${fenced}`])
    expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('active')
    await expectTreeSettled(world)
  })

  test('G65: by a retirement', async () => {
    const world = await hanging()
    ok(await world.harness.retireScope({ scopeId }, caller))
    expect(await endings(world)).toEqual(Array.from({ length: 3 }, () => 'CANCELLED The scope was retired.'))
    await expectTreeSettled(world)
  })

  test('G65: by closing under FAIL', async () => {
    const world = await hanging({ ...deep, recovery: 'FAIL' })
    const closed = world.harness.close({ graceMs: 1000 })
    await world.clock.advance(1000)
    await closed
    const stopped = 'CANCELLED The server is stopping.'
    expect(await endings(world)).toEqual(['FAILED The process stopped before this run completed.', stopped, stopped])
    await expectTreeSettled(world)
  })

  test('G65: closing under RESUME gives a child that is at work its time, and its parents with it', async () => {
    const world = await hanging()
    const closed = world.harness.close({ graceMs: 1000 })
    await world.clock.settle()
    world.models.last.answer('in time')
    await world.clock.settle()
    await closed
    expect(await endings(world)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
    await expectTreeSettled(world)
  })

  test('G65: closing under RESUME does not wait for a tree in which everything waits for a person', async () => {
    const world = await delegating({ ...deep, policies: [{ tool: 'delegate', effect: 'allow' }] })
    world.tools.add('touch')
    await world.prompt(textOf(chain(2, { call: ['touch'] })))
    await world.harness.close({ graceMs: 60_000 })
    expect(await endings(world)).toEqual(['running', 'running', 'running'])
  })
})

describe('G92: what is delegated where nothing begins any more', () => {
  const resumed = { subagents: agents, policies: [{ tool: '*', effect: 'allow' }], recovery: 'RESUME' } as const
  const late = inputOf({ to: 'writer', script: say('late') })

  /** A run that delegates once its world has begun to close. */
  async function closing(options: WorldOptions = {}): Promise<World> {
    const world = await delegating(options)
    await world.prompt(textOf({ hang: 'first' }))
    const closed = world.harness.close({ graceMs: 1000 })
    await world.clock.settle()
    world.models.last.calls('delegate', late).finish('continue')
    await world.clock.settle()
    expect(await endsOf(world)).toEqual(['running'])
    await world.clock.advance(1000)
    await closed
    return world
  }

  test('G92: goes on after the next start', async () => {
    const { stores, clock } = await closing()
    const next = new World({ stores, clock, ...resumed })
    followScripts(next.models)
    await next.harness.start()
    await clock.settle()
    next.models.last.answer('done')
    await clock.settle()
    expect(await next.calls()).toMatchObject([{ status: 'COMPLETED', output: { text: 'late' } }])
    expect(await endsOf(next)).toEqual(['COMPLETED'])
    await expectTreeSettled(next)
  })

  test('G92: is stopped with its run under FAIL', async () => {
    const world = await closing({ recovery: 'FAIL' })
    expect(await endings(world)).toEqual(['FAILED The process stopped before this run completed.', 'CANCELLED The server is stopping.'])
    await expectTreeSettled(world)
  })
})

test('G78: a child of which the store cannot say how it ended is stopped with its call', async () => {
  const failing = failingReads(memoryStores({ clock: virtualClock() }))
  const world = await delegating({ stores: failing.stores })
  await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
  const taskId = (await childrenOf(world))[0]?.sessionId ?? ''
  await world.prompt(textOf({ hang: 'first' }))
  failing.failNext()
  world.models.last.calls('delegate', inputOf({ to: 'writer', script: say('second'), taskId })).finish('continue')
  await world.clock.settle()
  expect(await endsOf(world, taskId)).toEqual(['COMPLETED', 'CANCELLED'])
  world.models.last.answer('without')
  await world.clock.settle()
  expect(await endsOf(world)).toEqual(['COMPLETED', 'COMPLETED'])
  await expectTreeSettled(world)
})

/** Stores that fail once to say how prompts have ended. */
function failingReads(stores: Stores) {
  let fails = false
  const findMany: Stores['queue']['findMany'] = async (ids) => {
    if (fails) {
      fails = false
      throw new StoreFailure('notCommitted', 'injected')
    }
    return stores.queue.findMany(ids)
  }
  const queue = new Proxy(stores.queue, {
    get: (target, name): unknown => (name === 'findMany' ? findMany : Reflect.get(target, name)),
  })
  return {
    stores: { ...stores, queue },
    failNext() {
      fails = true
    },
  }
}
