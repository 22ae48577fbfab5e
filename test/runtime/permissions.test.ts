import { expect, test } from 'vitest'
import { asPermissionId, asScopeId } from '../../src/kernel/ids.ts'
import { StoreFailure } from '../../src/ports/stores/failure.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectSettled } from '../support/laws.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

async function called(world: World, ask: (call: ManualCall) => unknown = (call) => call.calls('burn', { what: 'it' })) {
  await world.harness.start()
  world.tools.add('burn')
  await world.session()
  const entry = await world.prompt('go')
  ask(world.models.last)
  world.models.last.finish('continue')
  await world.clock.settle()
  return entry
}

/** The run goes on and asks for the same call again. */
async function again(world: World) {
  world.tools.last.answer('burnt')
  await world.clock.settle()
  world.models.last.calls('burn', { what: 'it' }).finish('continue')
  await world.clock.settle()
}

const outcomes = async (world: World) =>
  (await world.permissions()).map(({ state }) => (state.kind === 'pending' ? 'PENDING' : state.decision))

const sessionStatus = async (world: World) => (await world.load()).work

test('X20: a call that changes something waits for a person, durably, and is executed once allowed', async () => {
  const world = new World()
  const entry = await called(world)
  expect(world.tools.executions).toHaveLength(0)
  expect(await sessionStatus(world)).toMatchObject({ kind: 'running', doing: 'AWAITING_PERMISSION' })
  expect(await world.permissions()).toMatchObject([
    {
      kind: 'tool',
      description: 'Call the tool burn',
      toolCallId: 'call_0',
      rememberKey: 'burn',
      metadata: { toolName: 'burn', input: { what: 'it' } },
      state: { kind: 'pending' },
    },
  ])
  expect(ok(await world.respond('ONCE'))).toMatchObject({ state: { decision: 'ONCE', by: caller.principal } })
  expect(world.tools.executions).toHaveLength(1)
  expect(await sessionStatus(world)).toMatchObject({ doing: 'CALLING_TOOL' })
  await again(world)
  expect(await outcomes(world)).toEqual(['ONCE', 'PENDING'])
  await world.respond('ONCE')
  world.tools.last.answer('burnt')
  await world.clock.settle()
  world.models.last.answer('Done.')
  await world.clock.settle()
  await expectSettled(world, [entry])
})

test('X21: ALWAYS lets later calls of the tool pass, here and in later runs, until it is revoked', async () => {
  const world = new World()
  await called(world)
  await world.respond('ALWAYS')
  await again(world)
  expect(world.tools.executions).toHaveLength(2)
  expect(await outcomes(world)).toEqual(['ALWAYS', 'GRANTED_BEFORE'])
  const input = { scopeId, sessionId: (await world.load()).sessionId, rememberKey: 'burn' }
  expect(ok(await world.harness.revokeGrant(input, caller))).toMatchObject({ rememberKey: 'burn', grantedBy: 'tester' })
  expect(refusal(await world.harness.revokeGrant(input, caller))).toBe('NOT_FOUND')
  await again(world)
  expect(await outcomes(world)).toEqual(['ALWAYS', 'GRANTED_BEFORE', 'PENDING'])
  const types = await world.types()
  expect(types.filter((type) => type === 'grant.changed')).toHaveLength(2)
  expect(types.filter((type) => type === 'permission.requested')).toHaveLength(2)
  expect(types.filter((type) => type === 'permission.resolved')).toHaveLength(2)
})

test('X22: a rejection with a message denies that call, and the model reads the message', async () => {
  const world = new World()
  await called(world)
  await world.respond('REJECT', 'Not on a Sunday.')
  expect(world.tools.executions).toHaveLength(0)
  expect(world.models.last.call.log.at(-1)?.body).toMatchObject({
    kind: 'result',
    result: { status: 'FAILED', error: { code: 'PERMISSION_DENIED', message: 'Not on a Sunday.' } },
  })
})

test('X23: a rejection without one fails the run, stops its other calls and cancels its other requests', async () => {
  const world = new World({ policies: [{ tool: 'look', effect: 'allow' }] })
  world.tools.add('look')
  const entry = await called(world, (call) => call.calls('burn', 1, 'a').calls('burn', 2, 'b').calls('look', 3, 'c'))
  const [first] = await world.permissions()
  const { permissionId } = first!
  ok(await world.harness.respondToPermission({ scopeId, permissionId, decision: 'REJECT' }, caller))
  await world.clock.settle()
  expect(await outcomes(world)).toEqual(['REJECT', 'CANCELLED'])
  expect(world.tools.last.call.signal.aborted).toBe(true)
  world.tools.last.fail(new Error('stopped'))
  await world.clock.settle()
  expect((await world.entries())[0]?.state).toMatchObject({
    status: 'FAILED',
    error: { code: 'PERMISSION_REJECTED', message: 'A person rejected the request: Call the tool burn' },
  })
  expect(world.tools.executions.map(({ input }) => input)).toEqual([3])
  await expectSettled(world, [entry])
})

test('X24: of several answers one counts; the others, and answers to what nobody asked here, are typed errors', async () => {
  const world = new World()
  await called(world)
  const [{ permissionId } = { permissionId: asPermissionId('') }] = await world.permissions()
  const answers = await Promise.all(
    (['ONCE', 'ALWAYS', 'REJECT'] as const).map((decision) =>
      world.harness.respondToPermission({ scopeId, permissionId, decision }, caller),
    ),
  )
  expect(answers.map((answer) => (answer.ok ? 'ok' : answer.refusal.code)).toSorted()).toEqual([
    'PERMISSION_STATE',
    'PERMISSION_STATE',
    'ok',
  ])
  const answer = (input: object) =>
    world.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE', ...input }, caller)
  expect(refusal(await answer({ permissionId: asPermissionId('nobody') }))).toBe('NOT_FOUND')
  expect(refusal(await answer({ scopeId: asScopeId('elsewhere') }))).toBe('NOT_FOUND')
  expect(refusal(await answer({ message: 'why not' }))).toBe('VALIDATION_FAILED')
  expect(refusal(await answer({ decision: 'REJECT', message: '' }))).toBe('VALIDATION_FAILED')
})

test('X25: an answer that cannot be stored leaves the request waiting, to be answered again', async () => {
  const clock = virtualClock()
  const memory = memoryStores({ clock })
  let isBroken = false
  const commit: typeof memory.unit.commit = async (...group) => {
    if (isBroken) throw new StoreFailure('notCommitted', 'disk full')
    return memory.unit.commit(...group)
  }
  const world = new World({ clock, stores: { ...memory, unit: { ...memory.unit, commit } }, commits: { maxRepeats: 0 } })
  await called(world)
  isBroken = true
  await expect(world.respond('ONCE')).rejects.toThrow('The commit failed.')
  isBroken = false
  expect(await outcomes(world)).toEqual(['PENDING'])
  expect(world.tools.executions).toHaveLength(0)
  ok(await world.respond('ONCE'))
  expect(world.tools.executions).toHaveLength(1)
})

test('X26: an abort cancels what waits; nothing is executed, and a later answer is too late', async () => {
  const world = new World()
  const entry = await called(world)
  const [{ permissionId } = { permissionId: asPermissionId('') }] = await world.permissions()
  await world.abort()
  expect(await outcomes(world)).toEqual(['CANCELLED'])
  expect(refusal(await world.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller))).toBe(
    'PERMISSION_STATE',
  )
  expect(world.tools.executions).toHaveLength(0)
  expect(await world.calls()).toMatchObject([{ status: 'CANCELLED', error: { code: 'NOT_EXECUTED' } }])
  await expectSettled(world, [entry])
})

test('X27: policies allow, ask or deny by tool and input; a denied call is answered and not executed', async () => {
  const policies = [
    { tool: 'burn', input: { what: 'bridge*' }, effect: 'deny', message: 'Bridges stay.' },
    { tool: 'burn', input: { what: 'paper' }, effect: 'allow' },
  ] as const
  const world = new World({ policies })
  const what = (call: ManualCall, ...things: readonly string[]) =>
    things.forEach((thing, i) => call.calls('burn', { what: thing }, `${i}`))
  await called(world, (call) => what(call, 'bridges', 'paper', 'wood'))
  expect(world.tools.executions.map(({ input }) => input)).toEqual([{ what: 'paper' }])
  expect((await world.calls()).map(({ status, error }) => [status, error?.message])).toEqual([
    ['FAILED', 'Bridges stay.'],
    ['RUNNING', undefined],
    ['AWAITING_PERMISSION', undefined],
  ])
})

test('X28: a run that waits holds no slot, and comes back ahead of runs that have not begun', async () => {
  const world = new World({ limits: { maxConcurrentRuns: 1 } })
  await called(world)
  await world.session('other')
  await world.session('third')
  await world.prompt('meanwhile', { sessionId: (await world.load('other')).sessionId })
  await world.prompt('later', { sessionId: (await world.load('third')).sessionId })
  expect(world.models.calls).toHaveLength(2)
  ok(await world.respond('ONCE'))
  expect(world.tools.executions).toHaveLength(0)
  world.models.last.answer('There.')
  await world.clock.settle()
  expect(world.tools.executions).toHaveLength(1)
  expect(world.models.calls).toHaveLength(2)
  world.tools.last.answer('burnt')
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(3)
  world.models.last.answer('Done.')
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(4)
})

test('X28: a waiting run that is aborted ends without a slot', async () => {
  const world = new World({ limits: { maxConcurrentRuns: 1 } })
  await called(world)
  await world.session('other')
  await world.prompt('meanwhile', { sessionId: (await world.load('other')).sessionId })
  await world.abort()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'CANCELLED' })
})

test('X29: the application asks too; what cannot be remembered refuses ALWAYS, and what makes no sense is refused', async () => {
  const world = new World()
  await world.harness.start()
  let asked: Promise<void> | undefined
  world.tools.onProvide = async ({ requestPermission }) => {
    await expect(requestPermission({ kind: ' ', description: 'x' })).rejects.toThrow('kind must not be blank')
    asked = requestPermission({ kind: 'quota', description: 'é'.repeat(4_000), metadata: { n: 1n } })
    await asked
    return { tools: [] }
  }
  await world.session()
  const entry = await world.prompt('go')
  const [permission] = await world.permissions()
  expect(permission).toMatchObject({ kind: 'quota', description: 'é'.repeat(2_048), toolCallId: null, rememberKey: null })
  expect(refusal(await world.respond('ALWAYS'))).toBe('VALIDATION_FAILED')
  await world.respond('REJECT', 'No quota.')
  await expect(asked).rejects.toThrow('No quota.')
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { source: 'toolProvider' } })
  await expectSettled(world, [entry])
})
