import { expect, test } from 'vitest'
import type { Tool } from '../../src/ports/tools.ts'
import { expectSettled } from '../support/laws.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const allowed = [{ tool: '*', effect: 'allow' }] as const

/** One life after another of a server, each of which dies without a word. */
class Lives {
  readonly clock = virtualClock()
  readonly stores = memoryStores({ clock: this.clock })
  readonly tools: readonly (readonly [string, Partial<Tool>])[]
  readonly policies: typeof allowed | readonly []
  #kill: (() => void) | undefined

  constructor(tools: readonly (readonly [string, Partial<Tool>])[] = [], policies: typeof allowed | readonly [] = allowed) {
    this.tools = tools
    this.policies = policies
  }

  /** Kills the one before, if there is one. */
  async next(options: { readonly recovery?: 'RESUME' | 'FAIL'; readonly maxSteps?: number } = {}): Promise<World> {
    this.#kill?.()
    const { stores, kill } = mortalStores(this.stores)
    this.#kill = kill
    const { recovery = 'RESUME', maxSteps } = options
    const limits = maxSteps === undefined ? {} : { limits: { maxSteps } }
    const world = new World({ clock: this.clock, stores, recovery, policies: this.policies, ...limits })
    for (const [name, fields] of this.tools) world.tools.add(name, fields)
    await world.harness.start()
    await this.clock.settle()
    return world
  }
}

/** A first life in which a session's run has asked for these calls. */
async function called(lives: Lives, ...calls: readonly (readonly [tool: string, id: string])[]) {
  const world = await lives.next()
  await world.session()
  const entry = await world.prompt('go')
  const call = world.models.last.start().delta('I will.').end()
  for (const [tool, id] of calls) call.calls(tool, { id }, id)
  call.finish('continue')
  await world.clock.settle()
  return { world, entry }
}

test('R60: a run goes on from its last durable step, under a new epoch, and its tools are not executed again', async () => {
  const lives = new Lives([['burn', {}]])
  const { world: first, entry } = await called(lives, ['burn', 'a'])
  first.tools.last.answer('burnt')
  await lives.clock.settle()
  first.models.last.start().delta('So far')
  await lives.clock.advance(500)
  const second = await lives.next()
  expect(second.tools.executions).toHaveLength(0)
  expect(second.models.last.call.log.map(({ body }) => body.kind)).toEqual(['input', 'step', 'intent', 'result'])
  const [run] = await second.runs()
  expect(run).toMatchObject({ attempts: 2, epoch: 2, steps: 1 })
  second.models.last.answer('The end.')
  await lives.clock.settle()
  expect((await second.entries())[0]?.state).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(second, [entry])
})

test('R61: what the step that was cut off had said is superseded, and said again', async () => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.start('reasoning').delta('Hm.', 'reasoning').end('reasoning').start().delta('So far')
  await lives.clock.advance(500)
  const second = await lives.next()
  second.models.last.answer('The end.')
  await lives.clock.settle()
  const [, answer] = await second.conversation()
  expect(answer?.parts).toMatchObject([
    { kind: 'reasoning', status: 'COMPLETED' },
    { kind: 'text', status: 'INTERRUPTED', text: 'So far' },
    { kind: 'text', status: 'COMPLETED', text: 'The end.' },
  ])
  const { key } = await second.load()
  const [page = []] = await second.stores.messages.pages([{ sessionKey: key, take: 'last', limit: 1 }])
  expect(page[0]?.superseded).toEqual([{ from: 0, to: 2 }])
  await expectSettled(second, [entry])
})

test('R62: a request keeps its id over a crash, and its answer lets the call happen once', async () => {
  const lives = new Lives([['burn', {}]], [])
  const { world: first, entry } = await called(lives, ['burn', 'a'], ['burn', 'b'])
  const asked = (await first.permissions()).map(({ permissionId }) => permissionId)
  const second = await lives.next()
  expect((await second.permissions()).map(({ permissionId }) => permissionId)).toEqual(asked)
  expect((await second.load()).work).toMatchObject({ doing: 'AWAITING_PERMISSION' })
  expect(second.tools.executions).toHaveLength(0)
  for (const permissionId of asked) {
    ok(await second.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller))
  }
  await lives.clock.settle()
  expect(second.tools.executions.map(({ call }) => call.toolCallId)).toEqual(['a', 'b'])
  for (const execution of second.tools.executions) execution.answer('burnt')
  await lives.clock.settle()
  second.models.last.answer('Done.')
  await lives.clock.settle()
  expect(await second.calls()).toMatchObject([{ status: 'COMPLETED' }, { status: 'COMPLETED' }])
  expect(await second.permissions()).toHaveLength(2)
  await expectSettled(second, [entry])
})

test('R62: an answer that was durable when the process died counts', async () => {
  const lives = new Lives([['burn', {}]], [])
  const { world: first, entry } = await called(lives, ['burn', 'a'])
  const [permission] = await first.permissions()
  const { permissionId } = permission!
  // The process dies in the turn in which the answer is durable.
  const answered = first.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller)
  ok(await answered)
  const second = await lives.next()
  expect(first.tools.executions.length + second.tools.executions.length).toBe(1)
  expect(await second.permissions()).toHaveLength(1)
  await second.abort()
  second.tools.executions[0]?.answer('burnt')
  await lives.clock.settle()
  await expectSettled(second, [entry])
})

test('R63: a call that had begun is executed again only if that does no harm', async () => {
  const lives = new Lives([['burn', {}], ['put', { idempotent: true }], ['look', { readOnly: true }]])
  const { world: first } = await called(lives, ['burn', 'a'], ['put', 'b'], ['look', 'c'])
  expect(first.tools.executions).toHaveLength(3)
  const second = await lives.next()
  expect(second.tools.executions.map(({ call }) => call.toolCallId)).toEqual(['b', 'c'])
  expect(await second.calls()).toMatchObject([{ status: 'UNCERTAIN' }, { status: 'RUNNING' }, { status: 'RUNNING' }])
  expect((await second.load()).work).toMatchObject({ doing: 'CALLING_TOOL' })
})

test.each([
  [{ outcome: 'SUCCEEDED', output: 'burnt' }, { status: 'COMPLETED', output: 'burnt' }],
  [{ outcome: 'FAILED', error: 'wet' }, { status: 'FAILED', error: { message: 'wet' } }],
  [{ outcome: 'NOT_EXECUTED' }, { status: 'CANCELLED', error: { code: 'NOT_EXECUTED' } }],
] as const)('R64: a run waits for the reconciliation %j, which is the result of its call', async (found, result) => {
  const lives = new Lives([['burn', {}]])
  const { entry } = await called(lives, ['burn', 'a'])
  const second = await lives.next()
  const session = await second.load()
  expect(session.work).toMatchObject({ kind: 'running', doing: 'AWAITING_RECONCILIATION' })
  const queued = await second.prompt('and?')
  expect(second.models.calls).toHaveLength(0)
  const third = await lives.next()
  const [execution, ...others] = await third.stores.executions.uncertain([session.key], 10)
  expect(others).toEqual([])
  ok(await third.harness.reconcileToolExecution({ scopeId, intentId: execution!.intentId, found }, caller))
  await lives.clock.settle()
  expect(await third.calls()).toMatchObject([result])
  expect(third.models.last.call.log.map(({ body }) => body.kind)).toEqual(['input', 'step', 'intent', 'result'])
  third.models.last.answer('Well.')
  await lives.clock.settle()
  third.models.last.answer('Yes.')
  await lives.clock.settle()
  await expectSettled(third, [entry, queued])
})

test('R65: a waiting run can be aborted, and its call stays uncertain, listed once', async () => {
  const lives = new Lives([['burn', {}]])
  const { entry } = await called(lives, ['burn', 'a'])
  const second = await lives.next()
  await second.abort()
  const { key } = await second.load()
  expect(await second.calls()).toMatchObject([{ status: 'UNCERTAIN' }])
  expect(await second.stores.executions.uncertain([key], 10)).toHaveLength(1)
  expect((await second.types()).filter((type) => type === 'tool.uncertain')).toHaveLength(1)
  await expectSettled(second, [entry])
})

test('R66: a run is begun ten times at most, and limits go on over its attempts', async () => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  const entry = await first.prompt('go')
  let world = first
  for (let attempt = 2; attempt <= 10; attempt++) {
    world = await lives.next()
    expect((await world.runs())[0]).toMatchObject({ attempts: attempt })
  }
  world = await lives.next()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'INTERRUPTED' } })
  await expectSettled(world, [entry])
})

test('R66: steps of earlier attempts count', async () => {
  const lives = new Lives([['look', { readOnly: true }]])
  const { entry } = await called(lives, ['look', 'a'])
  const second = await lives.next({ maxSteps: 1 })
  second.tools.last.answer('seen')
  await lives.clock.settle()
  expect((await second.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'BUDGET_EXCEEDED' } })
  await expectSettled(second, [entry])
})

test('R67: a server that stops leaves its runs to the next one; what waits for people is not waited for', async () => {
  const lives = new Lives([['burn', {}]], [])
  const { world: first, entry } = await called(lives, ['burn', 'a'])
  await first.harness.close({ graceMs: 60_000 })
  expect((await first.load()).work).toMatchObject({ doing: 'AWAITING_PERMISSION' })
  const second = await lives.next()
  await second.respond('ONCE')
  second.tools.last.answer('burnt')
  await lives.clock.settle()
  second.models.last.answer('Done.')
  await lives.clock.settle()
  await expectSettled(second, [entry])
})

test('R85: what a server that stops leaves of calls is what a crash leaves', async () => {
  const lives = new Lives([['burn', {}], ['put', { idempotent: true }], ['look', { readOnly: true }], ['hold', {}]])
  const { world: first, entry } = await called(lives, ['burn', 'a'], ['put', 'b'], ['look', 'c'], ['hold', 'd'])
  const closed = first.harness.close({ graceMs: 1_000 })
  await lives.clock.advance(1_000)
  // All but the last obey.
  for (const execution of first.tools.executions.slice(0, 3)) execution.fail(execution.call.signal.reason)
  await lives.clock.advance(60_000)
  await closed
  const second = await lives.next()
  expect(second.tools.executions.map(({ call }) => call.toolCallId)).toEqual(['b', 'c'])
  expect(await second.calls()).toMatchObject([
    { status: 'FAILED', error: { code: 'ABORTED' } },
    { status: 'RUNNING' },
    { status: 'RUNNING' },
    { status: 'UNCERTAIN' },
  ])
  expect((await second.load()).work).toMatchObject({ kind: 'running', doing: 'CALLING_TOOL' })
  await second.abort()
  for (const execution of second.tools.executions) execution.answer('done')
  await lives.clock.settle()
  await expectSettled(second, [entry])
})

test('R68: under FAIL it is ended, with what it had said, and its calls that had begun are uncertain', async () => {
  const lives = new Lives([['burn', {}]])
  const { entry } = await called(lives, ['burn', 'a'])
  const second = await lives.next({ recovery: 'FAIL' })
  expect((await second.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'INTERRUPTED' } })
  expect(await second.calls()).toMatchObject([{ status: 'UNCERTAIN' }])
  await expectSettled(second, [entry])
})
