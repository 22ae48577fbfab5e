import { expect, test } from 'vitest'
import { digest } from '../../src/kernel/json.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { chain, childrenOf, delegate, delegating, endsOf, expectTreeSettled, say, treeOf } from '../support/delegating.ts'
import { agents, inputOf, textOf } from '../support/scripted-runs.ts'
import { caller, ok, refusal, scopeId } from '../support/world.ts'

test('G40: a run delegates: a child session is made, prompted and run, and its answer comes back', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('found') })))
  const [child] = await childrenOf(world)
  expect(child).toMatchObject({
    title: 'Subagent: researcher',
    createdBy: caller.principal,
    place: { depth: 1, agent: 'researcher', origin: { parentToolCallId: 'd0' } },
    work: { kind: 'idle' },
  })
  const output = { taskId: child?.sessionId, status: 'completed', text: 'found', model: 'test:manual' }
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect(await endsOf(world, child?.sessionId)).toEqual(['COMPLETED'])
  expect((await world.load()).tree).toMatchObject({ descendants: 1, usage: { totalTokens: 15 } })
  await expectTreeSettled(world)
})

test('G41: the id of a child follows from the call that makes it', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('found') })))
  const [run] = await world.runs()
  const [child] = await childrenOf(world)
  const origin = ['flexharness-subagent-v1', scopeId, 's', run?.runId ?? '', 'd0']
  expect(child?.sessionId).toBe(`subagent_${digest(origin)}`)
})

test('G42: session, first prompt, and the link on the call of its parent become durable together', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('found') })))
  const types = (await world.events()).map(({ sessionId, body }) => `${sessionId === 's' ? 'parent' : 'child'} ${body.type}`)
  const created = types.indexOf('child session.created')
  expect(types.slice(created - 1, created + 5)).toEqual([
    'parent part.created',
    'child session.created',
    'child prompt.queued',
    'parent part.updated',
    'parent part.updated',
    'child prompt.started',
  ])
})

test('G43: calls of one step delegate beside each other, each to a child of its own', async () => {
  const world = await delegating()
  const tasks = [say('one'), say('two'), say('three')].map((script) => ({ to: 'writer', script }))
  await world.prompt(textOf(delegate(...tasks)))
  expect((await world.calls()).map(({ output }) => output)).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
  expect(new Set((await childrenOf(world)).map(({ sessionId }) => sessionId)).size).toBe(3)
  expect((await world.load()).tree.descendants).toBe(3)
  await expectTreeSettled(world)
})

test('G44: with a single slot a chain of eight children does not block itself, nor what waits beside it', async () => {
  const world = await delegating({ limits: { maxConcurrentRuns: 1, maxSubagentDepth: 8 } })
  await world.session('other')
  const beside = world.enqueue(textOf(say('beside')), { sessionId: asSessionId('other') })
  await world.prompt(textOf(chain(8, say('deep'))))
  ok(await beside)
  const tree = await treeOf(world)
  expect(tree.map(({ place }) => place.depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  for (const { sessionId } of tree) expect(await endsOf(world, sessionId)).toEqual(['COMPLETED'])
  expect(await endsOf(world, 'other')).toEqual(['COMPLETED'])
  expect(JSON.stringify(await world.conversation())).toContain('deep')
  expect(tree[0]?.tree).toMatchObject({ descendants: 8, usage: { totalTokens: 85 } })
  await expectTreeSettled(world)
})

test('G45: a session that is as deep as may be is not told of delegating, and one that calls it all the same is answered', async () => {
  const world = await delegating()
  await world.prompt(textOf(chain(2, say('deep'))))
  const offered = world.models.calls.map(({ call }) => call.tools.map(({ name }) => name))
  expect(offered[0]).toEqual(['delegate'])
  expect(offered[1]).toEqual([])
  const [child] = await childrenOf(world)
  expect(await world.calls(child?.sessionId)).toMatchObject([{ status: 'FAILED', error: { message: 'There is no such tool.' } }])
  expect(await childrenOf(world, child?.sessionId)).toEqual([])
})

test('G45: where there are no subagents nothing delegates', async () => {
  const world = await delegating({ subagents: [] })
  world.tools.add('delegate')
  await world.prompt(textOf({ hang: 'last' }))
  expect(world.models.last.call.tools.map(({ description }) => description)).toEqual(['The tool delegate.'])
})

test('G46: where subagents are configured a run with a tool of the application named delegate fails, and says why', async () => {
  const world = await delegating()
  world.tools.add('delegate')
  await world.prompt(textOf(say('nothing')))
  const [run] = await world.runs()
  expect(run?.state).toMatchObject({ outcome: { status: 'FAILED', error: { source: 'toolProvider' } } })
  expect(JSON.stringify(run?.state)).toContain('There is a tool named delegate')
  expect(world.tools.releases).toBe(1)
})

test('G47: a child has the model, the system prompt, the steps and the tools that its definition says', async () => {
  const [base] = agents
  if (!base) throw new Error('There are agents.')
  const definition = { ...base, modelHint: 'test:other', system: 'Search.', maxSteps: 1, tools: ['look'] }
  const world = await delegating({ subagents: [definition], limits: { maxSubagentDepth: 2 } })
  world.tools.add('look').add('touch')
  await world.prompt(textOf(delegate({ to: 'researcher', script: { call: ['look'] } })))
  const request = world.models.requests[1]
  expect(request).toMatchObject({ modelHint: 'test:other', agent: 'researcher', parentSessionId: 's', scopeId })
  expect(world.tools.requests[1]).toMatchObject({ agent: 'researcher', parentSessionId: 's' })
  expect(world.models.requests[0]).toMatchObject({ agent: null, parentSessionId: null })
  const { call } = world.models.calls[1] ?? world.models.last
  expect(call.system).toBe('Search.')
  expect(call.tools.map(({ name }) => name)).toEqual(['look'])
  expect(await world.calls()).toMatchObject([{ output: { status: 'partial' } }])
})

test('G48: a child that used its budget up gives what it has said, as a part', async () => {
  const [base] = agents
  if (!base) throw new Error('There are agents.')
  const world = await delegating({ subagents: [{ ...base, maxSteps: 1 }] })
  world.tools.add('look')
  const follow = world.models.onCall
  world.models.onCall = (call) => {
    if (call.request.agent !== null) call.start().delta('So far').end()
    follow?.(call)
  }
  await world.prompt(textOf(delegate({ to: 'researcher', script: { call: ['look'] } })))
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: { status: 'partial', text: 'So far' } }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
})

test('G49: a child that fails fails the call and not the run; its model stands on the call', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'researcher', script: { hang: 'first' } })))
  world.models.last.fail(new Error('a secret'))
  await world.clock.settle()
  const [call] = await world.calls()
  expect(call).toMatchObject({ status: 'FAILED', error: { code: 'SUBAGENT_FAILED', message: 'The subagent failed. The model call failed.' } })
  expect(call?.child?.model).toEqual({ provider: 'test', id: 'manual' })
  expect(JSON.stringify(await world.events())).not.toContain('secret')
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  await expectTreeSettled(world)
})

test('G51: a session of a subagent takes no prompts from clients', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('found') })))
  const [child] = await childrenOf(world)
  const answer = await world.enqueue('hello', { sessionId: child?.sessionId ?? asSessionId('none') })
  expect(refusal(answer)).toBe('VALIDATION_FAILED')
  expect(await world.entries(child?.sessionId)).toHaveLength(1)
})

test('G52: a run delegates as often as it may; calls that fail have counted', async () => {
  const world = await delegating({ limits: { maxSubagentCallsPerRun: 3 } })
  const script = say('found')
  const tasks = [{ to: 'nobody', script }, ...[1, 2, 3].map(() => ({ to: 'writer', script }))]
  await world.prompt(textOf(delegate(...tasks)))
  const calls = await world.calls()
  expect(calls.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED', 'COMPLETED', 'FAILED'])
  expect(calls[0]?.error?.message).toContain('there is no subagent "nobody"; there are "researcher", "writer"')
  expect(calls[3]?.error?.message).toBe('The run has delegated 3 times, and may not any more.')
  expect(await childrenOf(world)).toHaveLength(2)
})

test('G53: what a model says that cannot be delegated is refused, and the model reads every fault of it', async () => {
  const world = await delegating()
  await world.prompt(textOf({ hang: 'first' }))
  world.models.last.calls('delegate', { description: '', prompt: 'x', subagent: 'y' }).finish('continue')
  await world.clock.settle()
  const [call] = await world.calls()
  expect(call?.error).toMatchObject({ code: 'VALIDATION_FAILED', source: 'harness' })
  expect(call?.error?.message).toBe(
    'The input is not valid: "subagent" is not a field; description must not be blank; subagentType is missing',
  )
  expect(await childrenOf(world)).toEqual([])
})

test('G54: a session that waits for its children delegates, and its root shows what goes on below', async () => {
  const world = await delegating({ policies: [{ tool: 'delegate', effect: 'allow' }], limits: { maxSubagentDepth: 2 } })
  world.tools.add('touch')
  await world.prompt(textOf(chain(2, { call: ['touch'] })))
  const [root, middle, deepest] = await treeOf(world)
  expect([root, middle, deepest].map((session) => session?.work)).toMatchObject([
    { doing: 'DELEGATING' },
    { doing: 'DELEGATING' },
    { doing: 'AWAITING_PERMISSION' },
  ])
  const path = root?.place.path ?? ''
  const statuses = await world.stores.sessions.subtreeStatuses(root?.scopeKey ?? (0 as never), [path])
  expect(statuses.get(path)).toBe('AWAITING_PERMISSION')
})

const asked = (taskId?: string) => inputOf({ to: 'writer', script: say('again'), ...(taskId !== undefined && { taskId }) })

test('G55: a later run goes on with a child by its taskId, and what it knew is in its context', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
  const [child] = await childrenOf(world)
  const taskId = child?.sessionId ?? ''
  await world.prompt(textOf(delegate({ to: 'writer', script: say('again'), taskId })))
  expect((await world.calls()).at(-1)).toMatchObject({ output: { taskId, text: 'again', status: 'completed' } })
  expect(await childrenOf(world)).toHaveLength(1)
  expect(await endsOf(world, taskId)).toEqual(['COMPLETED', 'COMPLETED'])
  const inputs = world.models.calls.filter(({ request }) => request.agent === 'writer').map(({ call }) => call.log.length)
  expect(inputs[1]).toBeGreaterThan(inputs[0] ?? 0)
  const { place } = await world.load(taskId)
  expect(place.origin?.parentRunId).toBe((await world.runs())[0]?.runId)
  expect((await world.load()).tree.descendants).toBe(1)
  await expectTreeSettled(world)
})

test('G55: whatever is wrong with a taskId, the model reads the same and learns nothing of what there is', async () => {
  const world = await delegating()
  await world.session('other')
  const script = say('first')
  await world.prompt(textOf(delegate({ to: 'researcher', script })), { sessionId: asSessionId('other') })
  await world.prompt(textOf(delegate({ to: 'researcher', script })))
  const [foreign] = await childrenOf(world, 'other')
  const [own] = await childrenOf(world)
  const ids = ['s', 'other', 'nowhere', foreign?.sessionId ?? '', own?.sessionId ?? '']
  await world.prompt(textOf(delegate(...ids.map((taskId) => ({ to: 'writer', script, taskId })))))
  const errors = (await world.calls()).slice(1).map(({ error }) => error?.message)
  expect(errors).toHaveLength(5)
  expect(new Set(errors).size).toBe(1)
  expect(errors[0]).toContain('taskId: this id cannot be used. Omit taskId to start a new child')
  expect(await endsOf(world, own?.sessionId)).toEqual(['COMPLETED'])
})

test('G55: a child is resumed once in a run, and not in the run that made it', async () => {
  const world = await delegating()
  await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
  const taskId = (await childrenOf(world))[0]?.sessionId ?? ''
  await world.prompt(textOf({ hang: 'first' }))
  world.models.last.calls('delegate', asked(taskId), 'a').calls('delegate', asked(taskId), 'b').finish('continue')
  await world.clock.settle()
  world.models.last.calls('delegate', asked(taskId), 'c').calls('delegate', asked(), 'd').finish('continue')
  await world.clock.settle()
  const fresh = (await childrenOf(world)).find(({ sessionId }) => sessionId !== taskId)?.sessionId
  world.models.last.calls('delegate', asked(fresh), 'e').finish('continue')
  await world.clock.settle()
  const calls = new Map((await world.calls()).map(({ id, status, error }) => [id, error?.code ?? status]))
  expect(Object.fromEntries(calls)).toEqual({
    d0: 'COMPLETED',
    a: 'COMPLETED',
    b: 'VALIDATION_FAILED',
    c: 'VALIDATION_FAILED',
    d: 'COMPLETED',
    e: 'VALIDATION_FAILED',
  })
})
