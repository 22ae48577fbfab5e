import { expect, test } from 'vitest'
import type { BudgetInput } from '../../src/domain/run/budget.ts'
import type { Tool } from '../../src/ports/tools.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { expectSettled } from '../support/laws.ts'
import { type Death, mortalStores } from '../support/mortal-stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

const allowed = [{ tool: '*', effect: 'allow' }] as const

/** A world in which a prompt with this budget has just been asked. */
async function asked(budget: BudgetInput, ...tools: readonly (readonly [string, Partial<Tool>])[]) {
  const world = await World.started({ policies: tools.length > 0 ? allowed : [] })
  for (const [name, fields] of tools) world.tools.add(name, fields)
  await world.session()
  const entry = await world.prompt('go', { options: { budget } })
  return { world, entry }
}

const saying = (call: ManualCall, text: string) => call.start().delta(text).end()
const using = (totalTokens: number) => ({ totalTokens })
const ended = async (world: World) => (await world.entries())[0]?.state
const exceeding = (message: string) => ({ status: 'FAILED', error: { code: 'BUDGET_EXCEEDED', message, source: 'harness' } })

test('R104: a run takes no step once its tokens are used, and keeps what it has said', async () => {
  const { world, entry } = await asked({ totalTokens: 100 })
  saying(world.models.last, 'one').finish('continue', using(60))
  await world.clock.settle()
  saying(world.models.last, 'two').finish('continue', using(39))
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(3)
  saying(world.models.last, 'three').finish('continue', using(50))
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(3)
  expect(await ended(world)).toMatchObject(exceeding('The run used 149 of its 100 tokens.'))
  expect((await world.conversation())[1]?.parts.map(({ text, status }) => [text, status])).toEqual([
    ['one', 'COMPLETED'],
    ['two', 'COMPLETED'],
    ['three', 'COMPLETED'],
  ])
  expect((await world.runs())[0]).toMatchObject({ steps: 3, usage: { totalTokens: 149 } })
  await expectSettled(world, [entry])
})

test('R104: a step that ends the run may go beyond the budget', async () => {
  const { world, entry } = await asked({ totalTokens: 1, wallClockMs: 10 })
  await world.clock.advance(50)
  saying(world.models.last, 'all').finish('stop', using(1_000))
  await world.clock.settle()
  expect(await ended(world)).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(world, [entry])
})

test('R104: calls of a step that used up the budget are not executed', async () => {
  const { world, entry } = await asked({ totalTokens: 10 }, ['burn', {}])
  world.models.last.calls('burn', {}).finish('continue', using(10))
  await world.clock.settle()
  expect(world.tools.executions).toHaveLength(0)
  expect(await world.calls()).toMatchObject([{ status: 'CANCELLED' }])
  expect(await ended(world)).toMatchObject(exceeding('The run used 10 of its 10 tokens.'))
  await expectSettled(world, [entry])
})

test('R105: what model calls and tools take counts as work, and is durable with the run', async () => {
  const { world, entry } = await asked({ wallClockMs: 1_000 }, ['burn', {}])
  await world.clock.advance(300)
  world.models.last.calls('burn', {}).finish('continue')
  await world.clock.settle()
  expect((await world.runs())[0]?.workedMs).toBe(300)
  await world.clock.advance(699)
  world.tools.last.answer('burnt')
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(2)
  await world.clock.advance(250)
  world.models.last.calls('burn', {}, 'again').finish('continue')
  await world.clock.settle()
  expect(world.tools.executions).toHaveLength(1)
  expect(await ended(world)).toMatchObject(exceeding('The run worked for 1249 of its 1000 ms.'))
  expect((await world.runs())[0]?.workedMs).toBe(1_249)
  await expectSettled(world, [entry])
})

test('R105: a call that takes longer than there is left ends the run with its result', async () => {
  const { world, entry } = await asked({ wallClockMs: 1_000 }, ['burn', {}])
  world.models.last.calls('burn', {}).finish('continue')
  await world.clock.advance(1_500)
  world.tools.last.answer('burnt')
  await world.clock.settle()
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: 'burnt' }])
  expect(world.models.calls).toHaveLength(1)
  expect(await ended(world)).toMatchObject(exceeding('The run worked for 1500 of its 1000 ms.'))
  await expectSettled(world, [entry])
})

test('R105: waiting for a person or for a slot is no work', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 1 } })
  world.tools.add('burn')
  await world.session()
  await world.session('other')
  const entry = await world.prompt('go', { options: { budget: { wallClockMs: 1_000, idleMs: 500 } } })
  await world.clock.advance(100)
  world.models.last.calls('burn', {}).finish('continue')
  await world.clock.advance(50_000)
  const other = await world.prompt('meanwhile', { sessionId: 'other' as never })
  await world.respond('ONCE')
  await world.clock.advance(50_000)
  expect(world.tools.executions).toHaveLength(0)
  world.models.last.answer('Done.')
  await world.clock.settle()
  await world.clock.advance(100)
  world.tools.last.answer('burnt')
  await world.clock.settle()
  await world.clock.advance(100)
  world.models.last.answer('Done.')
  await world.clock.settle()
  expect((await world.runs())[0]).toMatchObject({ workedMs: 300 })
  expect(await ended(world)).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(world, [entry])
  await expectSettled(world, [other], 'other')
})

test('R106: a model that falls silent is stopped, and what it had said is kept', async () => {
  const { world, entry } = await asked({ idleMs: 1_000 })
  await world.clock.advance(900)
  world.models.last.start().delta('Once upon')
  await world.clock.advance(900)
  world.models.last.delta(' a time')
  await world.clock.advance(999)
  expect((await ended(world))?.kind).toBe('running')
  await world.clock.advance(1)
  expect(world.models.last.call.signal.aborted).toBe(true)
  expect(await ended(world)).toMatchObject(exceeding('The run had no output for 1000 ms.'))
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'text', status: 'FAILED', text: 'Once upon a time' }])
  await expectSettled(world, [entry])
})

test('R106: a model or tools that cannot be found in time are no output', async () => {
  const world = await World.started()
  world.models.onResolve = () => new Promise(() => undefined)
  await world.session()
  const entry = await world.prompt('go', { options: { budget: { idleMs: 1_000 } } })
  await world.clock.advance(1_000)
  expect(await ended(world)).toMatchObject(exceeding('The run had no output for 1000 ms.'))
  await expectSettled(world, [entry])
})

test('R106: a silent tool is stopped; the result of another one beside it counts as output', async () => {
  const { world, entry } = await asked({ idleMs: 1_000 }, ['burn', {}], ['look', { readOnly: true }])
  world.models.last.calls('burn', {}, 'a').calls('look', {}, 'b').finish('continue')
  await world.clock.advance(900)
  world.tools.last.answer('seen')
  await world.clock.advance(999)
  expect(world.tools.executions.map(({ call }) => call.signal.aborted)).toEqual([false, false])
  await world.clock.advance(1)
  const [burning] = world.tools.executions
  expect(burning?.call.signal.reason).toMatchObject({ name: 'AbortError', kind: 'exhausted' })
  burning?.fail(burning.call.signal.reason)
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(1)
  expect(await ended(world)).toMatchObject(exceeding('The run had no output for 1000 ms.'))
  await expectSettled(world, [entry])
})

test('R106: a tool that ignores that is abandoned, and what became of its call is uncertain', async () => {
  const { world, entry } = await asked({ idleMs: 1_000 }, ['burn', {}])
  world.models.last.calls('burn', {}).finish('continue')
  await world.clock.advance(11_000)
  expect(await world.calls()).toMatchObject([{ status: 'UNCERTAIN' }])
  expect(await ended(world)).toMatchObject(exceeding('The run had no output for 1000 ms.'))
  await expectSettled(world, [entry])
})

test('R107: whichever comes first ends the run: an abort, or its budget', async () => {
  const { world, entry } = await asked({ idleMs: 1_000 })
  world.models.last.start().delta('Hello')
  await world.clock.advance(999)
  await world.abort()
  await world.clock.advance(1_000)
  expect(await ended(world)).toMatchObject({ status: 'CANCELLED', error: { code: 'ABORTED' } })
  const later = await world.prompt('again', { options: { budget: { idleMs: 1_000 } } })
  await world.clock.advance(1_000)
  expect(await world.abort()).toBeNull()
  expect((await world.runs())[1]?.state).toMatchObject({ outcome: exceeding('The run had no output for 1000 ms.') })
  await expectSettled(world, [entry, later])
})

test('R107: after a run that used up its budget the conversation goes on', async () => {
  const { world } = await asked({ totalTokens: 1 }, ['burn', {}])
  saying(world.models.last, 'I will.').calls('burn', {}).finish('continue', using(9))
  await world.clock.settle()
  const next = await world.prompt('and now?')
  const kinds = world.models.last.call.log.map(({ body }) => body.kind)
  expect(kinds).toEqual(['input', 'step', 'result', 'outcome', 'input'])
  world.models.last.answer('Fine.')
  await world.clock.settle()
  expect((await world.entries()).find(({ queueId }) => queueId === next.queueId)?.state).toMatchObject({ status: 'COMPLETED' })
})

/** A world that dies without a word when the next one begins, after the time that this takes. */
function lives(...tools: readonly (readonly [string, Partial<Tool>])[]) {
  const clock = virtualClock()
  const durable = memoryStores({ clock })
  let kill: () => void = () => undefined
  return async (downMs = 0, death?: Death): Promise<World> => {
    kill()
    await clock.advance(downMs)
    const mortal = mortalStores(durable, death)
    kill = mortal.kill
    const world = new World({ clock, stores: mortal.stores, recovery: 'RESUME', policies: allowed })
    for (const [name, fields] of tools) world.tools.add(name, fields)
    await world.harness.start()
    await clock.settle()
    return world
  }
}

test('R108: what was spent counts in every attempt, and the time between them does not', async () => {
  const next = lives(['look', { readOnly: true }])
  const first = await next()
  await first.session()
  const entry = await first.prompt('go', { options: { budget: { totalTokens: 100, wallClockMs: 1_000, idleMs: 5_000 } } })
  await first.clock.advance(400)
  first.models.last.calls('look', {}).finish('continue', using(60))
  await first.clock.settle()
  const second = await next(100_000)
  await second.clock.advance(400)
  second.tools.last.answer('seen')
  await second.clock.settle()
  expect((await second.runs())[0]).toMatchObject({ attempts: 2, workedMs: 400, usage: { totalTokens: 60 } })
  second.models.last.calls('look', {}).finish('continue', using(39))
  await second.clock.settle()
  expect((await second.runs())[0]).toMatchObject({ workedMs: 800 })
  const third = await next(100_000)
  await third.clock.advance(200)
  third.tools.last.answer('seen')
  await third.clock.settle()
  expect(await ended(third)).toMatchObject(exceeding('The run worked for 1000 of its 1000 ms.'))
  expect((await third.runs())[0]).toMatchObject({ workedMs: 1_000, usage: { totalTokens: 99 } })
  await expectSettled(third, [entry])
})

test('R108: a run that had used its budget when it was cut off takes no other step, nor the calls that it had not begun', async () => {
  const next = lives(['look', { readOnly: true }])
  // Its step is its fourth commit.
  const first = await next(0, { at: 4, side: 'after' })
  await first.session()
  const entry = await first.prompt('go', { options: { budget: { totalTokens: 100 } } })
  first.models.last.calls('look', {}).finish('continue', using(100))
  await first.clock.settle()
  const second = await next()
  expect((await second.runs())[0]).toMatchObject({ steps: 1, attempts: 2 })
  expect([second.tools.executions, second.models.calls]).toEqual([[], []])
  expect(await ended(second)).toMatchObject(exceeding('The run used 100 of its 100 tokens.'))
  await expectSettled(second, [entry])
})

test('R109: of work that lasts, a crash forgets five seconds at most', async () => {
  const next = lives()
  const first = await next()
  await first.session()
  const entry = await first.prompt('go', { options: { budget: { wallClockMs: 60_000 } } })
  await first.clock.advance(59_000)
  expect((await first.runs())[0]).toMatchObject({ workedMs: 55_000 })
  const second = await next()
  await second.clock.advance(5_000)
  second.models.last.start().delta('Well').end().finish('continue')
  await second.clock.settle()
  expect(await ended(second)).toMatchObject(exceeding('The run worked for 60000 of its 60000 ms.'))
  await expectSettled(second, [entry])
})

test('R109: when a run is over nothing of its budget goes on', async () => {
  const world = await World.started()
  await world.session()
  const { pending } = world.clock
  await world.prompt('go', { options: { budget: { totalTokens: 100, wallClockMs: 60_000, idleMs: 60_000 } } })
  await world.clock.advance(7_000)
  world.models.last.answer('Done.')
  await world.clock.settle()
  expect(await ended(world)).toMatchObject({ status: 'COMPLETED' })
  expect(world.clock.pending).toBe(pending)
})

test('R108: a call that takes long is remembered with the time that it took', async () => {
  const next = lives(['look', { readOnly: true }])
  const first = await next()
  await first.session()
  const entry = await first.prompt('go', { options: { budget: { wallClockMs: 5_000 } } })
  first.models.last.calls('look', {}).finish('continue')
  await first.clock.advance(3_000)
  first.tools.last.answer('seen')
  await first.clock.settle()
  const second = await next()
  expect((await second.runs())[0]).toMatchObject({ workedMs: 3_000 })
  await second.clock.advance(2_000)
  second.models.last.start().delta('More').end().finish('continue')
  await second.clock.settle()
  expect(await ended(second)).toMatchObject(exceeding('The run worked for 5000 of its 5000 ms.'))
  await expectSettled(second, [entry])
})
