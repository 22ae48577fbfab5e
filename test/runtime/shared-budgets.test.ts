import { expect, test } from 'vitest'
import type { SubagentDefinition } from '../../src/domain/delegation/definition.ts'
import type { BudgetInput } from '../../src/domain/run/budget.ts'
import type { PolicyRule } from '../../src/domain/permission/policy.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { childrenOf, expectTreeSettled, say, type WorldOptions } from '../support/delegating.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { inputOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

const allowed: readonly PolicyRule[] = [{ tool: '*', effect: 'allow' }]

/** A subagent whose runs may use so much; it may delegate to itself. */
const agent = (budget?: SubagentDefinition['budget']): readonly SubagentDefinition[] => [
  { name: 'worker', description: 'Works.', ...(budget && { budget }) },
]

interface Asked extends WorldOptions {
  readonly budget?: BudgetInput
  readonly workers?: SubagentDefinition['budget']
}

/** A world in which a prompt with this budget has just been asked. */
async function asked({ budget = {}, workers, ...options }: Asked): Promise<World> {
  const world = await World.started({ subagents: agent(workers), policies: allowed, recovery: 'RESUME', ...options })
  await world.session()
  await world.prompt('go', { options: { budget } })
  return world
}

const task = inputOf({ to: 'worker', script: say('work') })

/** Ends the model call with `count` delegations. */
async function delegates(world: World, call: ManualCall, { count = 1, tokens = 0 } = {}): Promise<void> {
  for (let i = 0; i < count; i++) call.calls('delegate', task, `d${i}`)
  call.finish('continue', { totalTokens: tokens })
  await world.clock.settle()
}

/** Says something, and wants to go on. */
async function goesOn(world: World, call: ManualCall, { text = 'more', tokens = 0 } = {}): Promise<void> {
  call.start().delta(text).end().finish('continue', { totalTokens: tokens })
  await world.clock.settle()
}

async function answers(world: World, call: ManualCall, { text = 'done', tokens = 0 } = {}): Promise<void> {
  call.start().delta(text).end().finish('stop', { totalTokens: tokens })
  await world.clock.settle()
}

/** The newest model call of a session, and how many there were. */
function callsOf(world: World, id: string) {
  const calls = world.models.calls.filter(({ request }) => request.sessionId === id)
  const last = calls.at(-1)
  if (!last) throw new Error(`No model was called for ${id}.`)
  return { last, count: calls.length }
}

const lastOf = (world: World, id: string): ManualCall => callsOf(world, id).last

async function childIds(world: World, id = 's'): Promise<readonly string[]> {
  return (await childrenOf(world, id)).map(({ sessionId }) => sessionId)
}

async function onlyChild(world: World, id = 's'): Promise<string> {
  const [child, ...others] = await childIds(world, id)
  if (child === undefined || others.length > 0) throw new Error('There is not one child.')
  return child
}

const errorIn = async (world: World, id = 's') => {
  const state = (await world.runs(id)).at(-1)?.state
  return state?.kind === 'finished' && state.outcome.status === 'FAILED' ? state.outcome.error.message : state
}

const completed = { kind: 'finished', outcome: { status: 'COMPLETED' } }

test('R111: tokens of children count against the run that delegates: they end partial, and it ends with them', async () => {
  const world = await asked({ budget: { totalTokens: 100 } })
  await delegates(world, lastOf(world, 's'), { tokens: 30 })
  const child = await onlyChild(world)
  await goesOn(world, lastOf(world, child), { text: 'one ', tokens: 40 })
  await goesOn(world, lastOf(world, child), { text: 'two', tokens: 29 })
  expect(callsOf(world, child).count).toBe(3)
  await goesOn(world, lastOf(world, child), { text: ' three', tokens: 25 })
  expect(callsOf(world, child).count).toBe(3)
  expect(await errorIn(world, child)).toBe('The run that delegated to this one used 124 of its 100 tokens.')
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: { status: 'partial', text: 'one two three' } }])
  expect(callsOf(world, 's').count).toBe(1)
  expect(await errorIn(world)).toBe('The run used 124 of its 100 tokens.')
  await expectTreeSettled(world)
})

test('R111: the budget of a subagent is its own: its run ends partial, and the run that delegated goes on', async () => {
  const world = await asked({ budget: { totalTokens: 1_000 }, workers: { totalTokens: 50 } })
  await delegates(world, lastOf(world, 's'), { tokens: 60 })
  const child = await onlyChild(world)
  expect((await world.runs(child))[0]?.budget).toEqual({ totalTokens: 50, wallClockMs: null, idleMs: null })
  await goesOn(world, lastOf(world, child), { text: 'as far as I came', tokens: 50 })
  expect(await errorIn(world, child)).toBe('The run used 50 of its 50 tokens.')
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: { status: 'partial', text: 'as far as I came' } }])
  await answers(world, lastOf(world, 's'))
  expect(await errorIn(world)).toMatchObject(completed)
  await expectTreeSettled(world)
})

test('R111: an error of application code that only calls itself one of the budget is no partial result', async () => {
  const world = await asked({ errorProjector: () => ({ code: 'BUDGET_EXCEEDED', message: 'No money left.' }) })
  await delegates(world, lastOf(world, 's'))
  lastOf(world, await onlyChild(world)).start().delta('so far').fail(new Error('402'))
  await world.clock.settle()
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_FAILED' } }])
})

test('R111: the last step of a child counts as well, and steps are counted for each run', async () => {
  const world = await asked({ budget: { totalTokens: 100 } })
  await delegates(world, lastOf(world, 's'), { tokens: 10 })
  await answers(world, lastOf(world, await onlyChild(world)), { tokens: 90 })
  expect(await world.calls()).toMatchObject([{ output: { status: 'completed', text: 'done' } }])
  expect(callsOf(world, 's').count).toBe(1)
  expect(await errorIn(world)).toBe('The run used 100 of its 100 tokens.')
  await expectTreeSettled(world)
})

test('R111: a run counts against all above it, however far', async () => {
  const world = await asked({ budget: { totalTokens: 100 }, workers: { totalTokens: 80 }, limits: { maxSubagentDepth: 2 } })
  await delegates(world, lastOf(world, 's'), { tokens: 10 })
  const child = await onlyChild(world)
  await delegates(world, lastOf(world, child), { tokens: 10 })
  const grandchild = await onlyChild(world, child)
  await goesOn(world, lastOf(world, grandchild), { tokens: 70 })
  expect(await errorIn(world, grandchild)).toBe('The run that delegated to this one used 80 of its 80 tokens.')
  expect(await errorIn(world, child)).toBe('The run used 80 of its 80 tokens.')
  await goesOn(world, lastOf(world, 's'), { tokens: 9 })
  expect(callsOf(world, 's').count).toBe(3)
  await goesOn(world, lastOf(world, 's'), { tokens: 1 })
  expect(await errorIn(world)).toBe('The run used 100 of its 100 tokens.')
  await expectTreeSettled(world)
})

test('R112: children beside each other go beyond the budget by one step each at most', async () => {
  const world = await asked({ budget: { totalTokens: 100 } })
  await delegates(world, lastOf(world, 's'), { count: 3 })
  const children = await childIds(world)
  for (const child of children) await goesOn(world, lastOf(world, child), { tokens: 30 })
  expect(children.map((child) => callsOf(world, child).count)).toEqual([2, 2, 2])
  for (const child of children) await goesOn(world, lastOf(world, child), { tokens: 30 })
  expect(children.map((child) => callsOf(world, child).count)).toEqual([2, 2, 2])
  expect(await Promise.all(children.map((child) => errorIn(world, child)))).toEqual(
    [120, 150, 180].map((used) => `The run that delegated to this one used ${used} of its 100 tokens.`),
  )
  expect((await world.calls()).map(({ output }) => output)).toMatchObject(children.map(() => ({ status: 'partial' })))
  expect(await errorIn(world)).toBe('The run used 180 of its 100 tokens.')
  await expectTreeSettled(world)
})

test('R113: the time of children is the time of the run that delegates; what goes on at the same time counts once', async () => {
  const world = await asked({ budget: { wallClockMs: 1_000 } })
  await world.clock.advance(100)
  await delegates(world, lastOf(world, 's'), { count: 2 })
  const [one = '', other = ''] = await childIds(world)
  await world.clock.advance(400)
  await answers(world, lastOf(world, one))
  await world.clock.advance(200)
  await answers(world, lastOf(world, other))
  expect((await world.runs(one))[0]?.workedMs).toBe(400)
  expect((await world.runs(other))[0]?.workedMs).toBe(600)
  await world.clock.advance(100)
  await goesOn(world, lastOf(world, 's'))
  expect((await world.runs())[0]?.workedMs).toBe(800)
  await world.clock.advance(200)
  await goesOn(world, lastOf(world, 's'))
  expect(await errorIn(world)).toBe('The run worked for 1000 of its 1000 ms.')
  await expectTreeSettled(world)
})

test('R113: a child ends when the time of the run above it is over', async () => {
  const world = await asked({ budget: { wallClockMs: 1_000 }, workers: { wallClockMs: 5_000 } })
  await world.clock.advance(600)
  await delegates(world, lastOf(world, 's'))
  const child = await onlyChild(world)
  await world.clock.advance(400)
  await goesOn(world, lastOf(world, child), { text: 'so far' })
  expect(await errorIn(world, child)).toBe('The run that delegated to this one worked for 1000 of its 1000 ms.')
  expect(await world.calls()).toMatchObject([{ output: { status: 'partial', text: 'so far' } }])
  expect(await errorIn(world)).toBe('The run worked for 1000 of its 1000 ms.')
  await expectTreeSettled(world)
})

test('R113: waiting for a person counts for nobody, whoever waits; nor is a run idle while its child works', async () => {
  const ask: readonly PolicyRule[] = [{ tool: '*', effect: 'ask' }]
  const world = await asked({ budget: { wallClockMs: 1_000, idleMs: 300 }, workers: { wallClockMs: 500 }, policies: ask })
  world.tools.add('burn')
  await world.clock.advance(100)
  await delegates(world, lastOf(world, 's'))
  await world.clock.advance(60_000)
  await world.respond('ONCE')
  const child = await onlyChild(world)
  await world.clock.advance(400)
  lastOf(world, child).calls('burn', {}).finish('continue')
  await world.clock.advance(60_000)
  const [asking] = await world.permissions(child)
  await world.harness.respondToPermission(
    { scopeId: 'default' as never, permissionId: asking?.permissionId as never, decision: 'ONCE' },
    { principal: 'tester' },
  )
  await world.clock.advance(50)
  world.tools.last.answer('burnt')
  await world.clock.settle()
  await answers(world, lastOf(world, child))
  expect((await world.runs(child))[0]).toMatchObject({ workedMs: 450, state: completed })
  await world.clock.advance(250)
  await answers(world, lastOf(world, 's'))
  expect((await world.runs())[0]).toMatchObject({ workedMs: 800, state: completed })
  await expectTreeSettled(world)
})

test('R113: a run that is stopped because a tool of it is silent takes its children with it', async () => {
  const world = await World.started({ subagents: agent(), policies: allowed, recovery: 'RESUME' })
  world.tools.add('look', { readOnly: true })
  await world.session()
  await world.prompt('go', { options: { budget: { idleMs: 1_000 } } })
  lastOf(world, 's').calls('look', {}).calls('delegate', task, 'd0').finish('continue')
  await world.clock.settle()
  const child = await onlyChild(world)
  await world.clock.advance(1_000)
  const look = world.tools.last
  look.fail(look.call.signal.reason)
  await world.clock.settle()
  const reason = 'The run had no output for 1000 ms.'
  expect((await world.runs(child))[0]?.state).toMatchObject({ outcome: { status: 'CANCELLED', error: { message: reason } } })
  expect(await errorIn(world)).toBe(reason)
  await expectTreeSettled(world)
})

test('R113: a child that falls silent for longer than its subagent may ends partial; the run above it goes on', async () => {
  const world = await asked({ workers: { idleMs: 1_000 } })
  await delegates(world, lastOf(world, 's'))
  const child = await onlyChild(world)
  lastOf(world, child).start().delta('Hm')
  await world.clock.advance(1_000)
  expect(await errorIn(world, child)).toBe('The run had no output for 1000 ms.')
  expect(await world.calls()).toMatchObject([{ output: { status: 'partial', text: 'Hm' } }])
  await answers(world, lastOf(world, 's'))
  expect(await errorIn(world)).toMatchObject(completed)
  await expectTreeSettled(world)
})

/** Lives of a server, each of which ends without a word when the next one begins. */
function lives(options: WorldOptions) {
  const clock = virtualClock()
  const durable = memoryStores({ clock })
  let kill: () => void = () => undefined
  return async (): Promise<World> => {
    kill()
    await clock.advance(100_000)
    const mortal = mortalStores(durable)
    kill = mortal.kill
    const world = await World.started({ policies: allowed, recovery: 'RESUME', ...options, clock, stores: mortal.stores })
    await clock.settle()
    return world
  }
}

test('R114: after a crash the tokens of children count that were used before it, of those that have ended as well', async () => {
  const next = lives({ subagents: agent(), limits: { maxSubagentDepth: 2 } })
  const first = await next()
  await first.session()
  await first.prompt('go', { options: { budget: { totalTokens: 100 } } })
  await delegates(first, lastOf(first, 's'), { count: 2, tokens: 10 })
  const [ended = '', alive = ''] = await childIds(first)
  await answers(first, lastOf(first, ended), { tokens: 20 })
  await delegates(first, lastOf(first, alive), { tokens: 20 })
  const grandchild = await onlyChild(first, alive)
  await goesOn(first, lastOf(first, grandchild), { tokens: 30 })
  const second = await next()
  expect((await second.runs(grandchild))[0]).toMatchObject({ attempts: 2, usage: { totalTokens: 30 } })
  await goesOn(second, lastOf(second, grandchild), { tokens: 19 })
  expect(callsOf(second, grandchild).count).toBe(2)
  await goesOn(second, lastOf(second, grandchild), { tokens: 1 })
  expect(await errorIn(second, grandchild)).toBe('The run that delegated to this one used 100 of its 100 tokens.')
  expect(await errorIn(second, alive)).toBe('The run that delegated to this one used 100 of its 100 tokens.')
  expect(await errorIn(second)).toBe('The run used 100 of its 100 tokens.')
  await expectTreeSettled(second)
})

test('R114: after a crash the time of children counts that was worked before it, but for five seconds at most', async () => {
  const next = lives({ subagents: agent() })
  const first = await next()
  await first.session()
  await first.prompt('go', { options: { budget: { wallClockMs: 60_000 } } })
  await delegates(first, lastOf(first, 's'))
  const child = await onlyChild(first)
  await first.clock.advance(39_999)
  expect((await first.runs())[0]?.workedMs).toBe(35_000)
  const second = await next()
  await second.clock.advance(25_000)
  await goesOn(second, lastOf(second, child))
  expect(await errorIn(second, child)).toBe('The run that delegated to this one worked for 60000 of its 60000 ms.')
  expect(await errorIn(second)).toBe('The run worked for 60000 of its 60000 ms.')
  await expectTreeSettled(second)
})
