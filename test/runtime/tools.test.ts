import { expect, test } from 'vitest'
import { ToolError } from '../../src/ports/tool-error.ts'
import { expectSettled } from '../support/laws.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { World } from '../support/world.ts'

/** A session whose run has asked for calls in its first step, and in which all has happened that needs no time. */
async function called(world: World, ask: (call: ManualCall) => unknown) {
  await world.harness.start()
  await world.session()
  const entry = await world.prompt('go')
  ask(world.models.last)
  world.models.last.finish('continue')
  await world.clock.settle()
  return entry
}

const readOnly = { readOnly: true } as const
const bodies = (world: World) => world.models.last.call.log.map(({ body }) => body)

test('X1: a call is executed once its intent is durable, and the model is asked again once its result is', async () => {
  const world = new World()
  world.tools.add('look', readOnly)
  const entry = await called(world, (call) => call.start().delta('I look.').end().calls('look', { at: 'a' }))
  const execution = world.tools.last
  expect(execution.input).toEqual({ at: 'a' })
  expect(Object.isFrozen(execution.call)).toBe(true)
  expect(execution.call).toMatchObject({ toolCallId: 'call_0', sessionId: 's' })
  const session = await world.load()
  expect(session.work).toMatchObject({ kind: 'running', doing: 'CALLING_TOOL' })
  const log = await world.stores.log.read(session.key, 0, 10)
  expect(log.map(({ body }) => body.kind)).toEqual(['input', 'step', 'intent'])
  expect(await world.calls()).toMatchObject([{ id: 'call_0', status: 'RUNNING' }])
  execution.answer({ seen: true })
  await world.clock.settle()
  expect(bodies(world).slice(1)).toMatchObject([
    { kind: 'step', calls: ['call_0'] },
    { kind: 'intent', toolCallId: 'call_0', toolName: 'look' },
    { kind: 'result', toolCallId: 'call_0', result: { status: 'COMPLETED', output: { seen: true } } },
  ])
  world.models.last.answer('Seen.')
  await world.clock.settle()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(world, [entry])
})

test('X2: the calls of a step are executed beside each other, and the model is asked again after the last', async () => {
  const world = new World()
  world.tools.add('look', readOnly)
  const entry = await called(world, (call) => call.calls('look', 1, 'a').calls('look', 2, 'b').calls('look', 3, 'a'))
  expect(world.tools.executions.map(({ call }) => call.toolCallId)).toEqual(['a', 'b', 'a#2'])
  for (const [i, execution] of world.tools.executions.toReversed().entries()) {
    expect(world.models.calls).toHaveLength(1)
    execution.answer(i)
    await world.clock.settle()
  }
  expect(bodies(world).filter(({ kind }) => kind === 'result')).toMatchObject([
    { toolCallId: 'a#2' },
    { toolCallId: 'b' },
    { toolCallId: 'a' },
  ])
  world.models.last.answer('Seen.')
  await world.clock.settle()
  await expectSettled(world, [entry])
})

test('X3: a call of a tool that there is not, or with an input that its tool refuses, is answered and not executed', async () => {
  const world = new World()
  world.tools.add('look', { ...readOnly, check: async () => ({ ok: false, message: 'at: must be text' }) })
  await called(world, (call) => call.calls('look', {}, 'a').calls('fly', {}, 'b'))
  expect(world.tools.executions).toHaveLength(0)
  expect((await world.calls()).map(({ status, error }) => [status, error?.message])).toEqual([
    ['FAILED', 'The input is not valid: at: must be text'],
    ['FAILED', 'There is no such tool.'],
  ])
  expect(world.models.calls).toHaveLength(2)
})

test('X4: what a tool throws is projected; only the text of a ToolError is shown', async () => {
  const world = new World()
  world.tools.add('look', readOnly)
  await called(world, (call) => call.calls('look', {}, 'a').calls('look', {}, 'b'))
  const [first, second] = world.tools.executions
  first?.fail(new Error('the secret is 42'))
  second?.fail(new ToolError('There is no file a.'))
  await world.clock.settle()
  expect((await world.calls()).map(({ error }) => error)).toEqual([
    { code: 'TOOL_FAILED', message: 'The tool failed.', source: 'tool' },
    { code: 'TOOL_FAILED', message: 'There is no file a.', source: 'tool' },
  ])
  expect(JSON.stringify([await world.events(), bodies(world)])).not.toContain('secret')
  expect(JSON.stringify(world.lines.map(({ fields }) => String(fields['err'])))).toContain('secret')
})

test('X5: outputs are normalised: what is hostile is stored as JSON within limits', async () => {
  const world = new World()
  world.tools.add('look', readOnly)
  const cycle: Record<string, unknown> = { big: 1n, text: 'x'.repeat(1_000_000), nul: '\0\ud800' }
  cycle['self'] = cycle
  await called(world, (call) => call.calls('look', {}))
  world.tools.last.answer(cycle)
  await world.clock.settle()
  const [call] = await world.calls()
  expect(call?.status).toBe('COMPLETED')
  expect(JSON.stringify(call?.output).length).toBeLessThanOrEqual(256 * 1024)
  expect(JSON.stringify(call?.output)).not.toContain('\\u0000')
})

test('X6: more tool data than a run may have ends it, and the results that came stay', async () => {
  const world = new World({ limits: { maxToolBytes: 100 } })
  world.tools.add('look', readOnly)
  const entry = await called(world, (call) => call.calls('look', {}, 'a').calls('look', {}, 'b'))
  world.tools.executions[0]?.answer('x'.repeat(200))
  await world.clock.settle()
  expect(world.tools.executions[1]?.call.signal.aborted).toBe(true)
  world.tools.executions[1]?.fail(new Error('stopped'))
  await world.clock.settle()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'CALLBACK_OVERFLOW' } })
  expect((await world.calls()).map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED'])
  await expectSettled(world, [entry])
})

test('X7: calls of the last step that a run may make are not executed', async () => {
  const world = new World({ limits: { maxSteps: 1 } })
  world.tools.add('look', readOnly)
  const entry = await called(world, (call) => call.calls('look', {}))
  expect(world.tools.executions).toHaveLength(0)
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'BUDGET_EXCEEDED' } })
  expect(await world.calls()).toMatchObject([{ status: 'CANCELLED', error: { code: 'NOT_EXECUTED' } }])
  await expectSettled(world, [entry])
})

test('X8: an abort reaches the call, whose answer within the deadline is its result', async () => {
  const world = new World()
  world.tools.add('look', readOnly)
  const entry = await called(world, (call) => call.calls('look', {}))
  await world.abort()
  expect(world.tools.last.call.signal.aborted).toBe(true)
  expect((await world.load()).work.kind).toBe('running')
  world.tools.last.answer('just in time')
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(1)
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: 'just in time' }])
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'CANCELLED' })
  await expectSettled(world, [entry])
})

test.each([
  ['with effects is listed as uncertain', false, 'UNCERTAIN'],
  ['without effects is not', true, 'FAILED'],
] as const)('X9: a call %s when it ignores an abort beyond the deadline, and holds nobody', async (_, pure, status) => {
  const listed = status === 'UNCERTAIN' ? 1 : 0
  const world = new World({ policies: [{ tool: '*', effect: 'allow' }], limits: { abortDeadlineMs: 1_000 } })
  world.tools.add('burn', { readOnly: pure })
  const entry = await called(world, (call) => call.calls('burn', {}))
  await world.abort()
  await world.clock.advance(999)
  expect((await world.load()).work.kind).toBe('running')
  await world.clock.advance(1)
  const { key, work } = await world.load()
  expect(work.kind).toBe('idle')
  expect(await world.calls()).toMatchObject([{ status }])
  expect(await world.stores.executions.uncertain([key], 10)).toHaveLength(listed)
  world.tools.last.answer('too late')
  const next = await world.prompt('go on')
  world.models.last.answer('Well.')
  await world.clock.settle()
  expect(await world.calls()).toMatchObject([{ status }])
  await expectSettled(world, [entry, next])
})

test('X10: a call that takes too long is stopped, and the run goes on', async () => {
  const world = new World({ policies: [{ tool: '*', effect: 'allow' }], limits: { toolTimeoutMs: 500, abortDeadlineMs: 1_000 } })
  world.tools.add('slow').add('slower', { timeoutMs: 700 })
  const entry = await called(world, (call) => call.calls('slow', {}, 'a').calls('slower', {}, 'b'))
  const [slow, slower] = world.tools.executions
  await world.clock.advance(500)
  expect([slow?.call.signal.aborted, slower?.call.signal.aborted]).toEqual([true, false])
  slow?.fail(slow.call.signal.reason)
  await world.clock.advance(1_200)
  expect((await world.calls()).map(({ status, error }) => [status, error?.code])).toEqual([
    ['FAILED', 'TOOL_TIMEOUT'],
    ['UNCERTAIN', 'OUTCOME_UNKNOWN'],
  ])
  world.models.last.answer('Well.')
  await world.clock.settle()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(world, [entry])
})
