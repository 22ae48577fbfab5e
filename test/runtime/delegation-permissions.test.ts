import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import type { SubagentDefinition } from '../../src/domain/delegation/definition.ts'
import { childrenOf, delegate, delegating, endsOf, expectTreeSettled, say } from '../support/delegating.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { refusal, World } from '../support/world.ts'

const task = textOf(delegate({ to: 'researcher', script: say('found') }))

test('G56: a person is asked once, by name of agent and task, with exactly the facts of the delegation', async () => {
  const world = await delegating({ policies: [] })
  await world.prompt(task)
  const [asked] = await world.permissions()
  expect(await childrenOf(world)).toEqual([])
  expect(asked).toMatchObject({
    kind: 'subagent.start',
    description: 'Delegate to the subagent researcher: a task for the researcher',
    toolCallId: 'd0',
    rememberKey: null,
  })
  expect(refusal(await world.respond('ALWAYS'))).toBe('VALIDATION_FAILED')
  await world.respond('ONCE')
  const [child] = await childrenOf(world)
  expect(asked?.metadata).toEqual({
    agent: 'researcher',
    description: 'a task for the researcher',
    childSessionId: child?.sessionId,
  })
  expect(await world.permissions()).toHaveLength(1)
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  await expectTreeSettled(world)
})

test('G56: of a child that goes on, the facts name its taskId as well', async () => {
  const world = await delegating({ policies: [] })
  await world.prompt(task)
  await world.respond('ONCE')
  const taskId = (await childrenOf(world))[0]?.sessionId ?? ''
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('more'), taskId })))
  const metadata = { agent: 'researcher', description: 'a task for the researcher', childSessionId: taskId, taskId }
  expect((await world.permissions()).at(-1)?.metadata).toEqual(metadata)
  await world.respond('ONCE')
  expect(await endsOf(world, taskId)).toEqual(['COMPLETED', 'COMPLETED'])
})

test('G56: texts at their limits are asked for as they are', async () => {
  const name = '"'.repeat(128)
  const subagents: readonly SubagentDefinition[] = [{ name, description: 'An odd one.' }]
  const world = await delegating({ policies: [], subagents })
  await world.prompt(textOf({ hang: 'first' }))
  const input = { description: '\\'.repeat(256), prompt: 'x', subagentType: name, taskId: '"'.repeat(512) }
  world.models.last.calls('delegate', input).finish('continue')
  await world.clock.settle()
  const [asked] = await world.permissions()
  expect(asked?.metadata).toEqual({
    agent: name,
    description: input.description,
    childSessionId: input.taskId,
    taskId: input.taskId,
  })
})

test('G57: a rejection with a message denies the call, and one without fails the run; neither leaves a child', async () => {
  const world = await delegating({ policies: [] })
  await world.prompt(task)
  await world.respond('REJECT', 'Do it yourself.')
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'PERMISSION_DENIED', message: 'Do it yourself.' } }])
  await world.prompt(task)
  await world.respond('REJECT')
  expect(await endsOf(world)).toEqual(['COMPLETED', 'FAILED'])
  expect(await childrenOf(world)).toEqual([])
  await expectTreeSettled(world)
})

test('G57: a rejection beside a child that is at work stops the child with the run', async () => {
  const world = await delegating({ policies: [{ tool: 'delegate', input: { subagentType: 'writer' }, effect: 'allow' }] })
  await world.prompt(textOf(delegate({ to: 'writer', script: { hang: 'first' } }, { to: 'researcher', script: say('x') })))
  await world.respond('REJECT')
  const [child] = await childrenOf(world)
  expect(await endsOf(world)).toEqual(['FAILED'])
  expect(await endsOf(world, child?.sessionId)).toEqual(['CANCELLED'])
  await expectTreeSettled(world)
})

test('G57: a rule for delegate decides alone: it denies without asking, or lets pass without asking', async () => {
  const policies = [
    { tool: 'delegate', input: { subagentType: 'writer' }, effect: 'deny', message: 'No writers.' },
    { tool: 'delegate', effect: 'allow' },
  ] as const
  const world = await delegating({ policies })
  await world.prompt(textOf(delegate({ to: 'writer', script: say('x') }, { to: 'researcher', script: say('y') })))
  expect(await world.calls()).toMatchObject([
    { status: 'FAILED', error: { message: 'No writers.' } },
    { status: 'COMPLETED', output: { text: 'y' } },
  ])
  expect(await world.permissions()).toEqual([])
})

test('G58: what was asked before a crash is answered after it, and a child that was allowed is not asked for again', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  let kill = () => {}
  const next = async () => {
    kill()
    const mortal = mortalStores(stores)
    kill = mortal.kill
    const world = new World({ clock, stores: mortal.stores, recovery: 'RESUME', subagents: agents })
    followScripts(world.models)
    await world.harness.start()
    await clock.settle()
    return world
  }
  const first = await next()
  await first.session()
  await first.prompt(textOf(delegate({ to: 'researcher', script: { hang: 'first' } })))
  const second = await next()
  expect(await second.permissions()).toHaveLength(1)
  await second.respond('ONCE')
  const third = await next()
  expect(await third.permissions()).toHaveLength(1)
  const [child] = await childrenOf(third)
  expect((await third.runs(child?.sessionId))[0]).toMatchObject({ attempts: 2 })
  third.models.last.answer('found')
  await clock.settle()
  expect(await third.calls()).toMatchObject([{ status: 'COMPLETED', output: { text: 'found' } }])
  expect(await endsOf(third)).toEqual(['COMPLETED'])
  await expectTreeSettled(third)
})
