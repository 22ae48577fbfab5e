import { describe, expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { chain, childrenOf, delegate, delegating, say, treeOf } from '../support/delegating.ts'
import { inputOf, type Script, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { Api, at, type Data, nodesOf } from './api.ts'
import { respond, waiting } from './approving.ts'
import { countingStores } from './counting-stores.ts'
import { exampleOperations } from './example-operations.ts'
import { withRollUpsChecked } from './roll-ups.ts'

/** A world in which everybody may delegate two levels deep, and its API. */
async function team(options: Parameters<typeof delegating>[0] = {}) {
  const world = await delegating({ limits: { maxSubagentDepth: 2 }, ...options })
  return { world, api: new Api(world.harness) }
}

const twoTasks: Script = delegate(
  { to: 'researcher', script: delegate({ to: 'writer', script: say('deep') }) },
  { to: 'writer', script: say('flat') },
)

const MEMBER = `sessionId agent depth title createdBy origin { parentRunId parentToolCallId }
  queue { status createdBy origin { parentRunId parentToolCallId } run { runId status } }`
const CALL = `toolCallId toolName status output model { id }
  childEntry { status session { sessionId } } childSession`

const CALLS = `query ($id: ID! = "s") { session(scopeId: "default", sessionId: $id) {
  ${MEMBER} lastRun { runId toolExecutions { ${CALL} { ${MEMBER} parent { sessionId } lastRun { runId toolExecutions { ${CALL} { ${MEMBER} } } } } } }
} }`

const callsOf = (session: unknown) => at(session, 'lastRun', 'toolExecutions') as readonly Data[]

describe('a call of delegate', () => {
  test('A95: shows the session that works for it, at any depth, which tells of that call, and the model that it had', async () => {
    const { world, api } = await team()
    await world.prompt(textOf(twoTasks))
    const session = at(await api.data(CALLS), 'session')
    const [research, writing] = callsOf(session)
    expect(at(session, 'origin')).toBeNull()
    for (const [call, agent, answer] of [[research, 'researcher', undefined], [writing, 'writer', 'flat']] as const) {
      const child = at(call, 'childSession')
      const sessionId = at(child, 'sessionId')
      const origin = { parentRunId: at(session, 'lastRun', 'runId'), parentToolCallId: at(call, 'toolCallId') }
      expect(call).toMatchObject({
        toolName: 'delegate',
        status: 'COMPLETED',
        output: { taskId: sessionId, status: 'completed', ...(answer !== undefined && { text: answer }) },
        model: { id: 'test:manual' },
        childEntry: { status: 'COMPLETED', session: { sessionId } },
      })
      expect(child).toMatchObject({
        agent,
        depth: 1,
        title: `Subagent: ${agent}`,
        createdBy: 'tester',
        origin,
        parent: { sessionId: 's' },
        queue: [{ status: 'COMPLETED', createdBy: 'tester', origin, run: { runId: at(child, 'lastRun', 'runId') } }],
      })
    }
    const [inner] = callsOf(at(research, 'childSession'))
    expect(at(inner, 'childSession')).toMatchObject({ agent: 'writer', depth: 2 })
    expect(at(session, 'queue')).toMatchObject([{ origin: null }])
    await world.prompt(textOf(say('no call')))
    expect(callsOf(at(await api.data(CALLS), 'session'))).toEqual([])
  })

  test('A95: that goes on with a child later tells of it, while the session still tells of the one that created it', async () => {
    const { world, api } = await team()
    await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
    const [child] = await childrenOf(world)
    const taskId = child?.sessionId ?? ''
    await world.prompt(textOf(delegate({ to: 'writer', script: say('again'), taskId })))
    const [call] = callsOf(at(await api.data(CALLS), 'session'))
    const [first, second] = (await world.runs()).map(({ runId }) => runId)
    expect(at(call, 'childSession')).toMatchObject({
      sessionId: taskId,
      origin: { parentRunId: first },
      queue: [{ origin: { parentRunId: second } }, { origin: { parentRunId: first } }],
    })
  })

  test('A95: costs one read for all children of a level', async () => {
    const clock = virtualClock()
    const counting = countingStores(memoryStores({ clock }))
    const { world, api } = await team({ clock, stores: counting.stores })
    const tasks = Array.from({ length: 6 }, () => ({ to: 'writer', script: delegate({ to: 'writer', script: say('deep') }) }))
    await world.prompt(textOf(delegate(...tasks)))
    counting.reset()
    const session = at(await api.data(CALLS), 'session')
    expect(callsOf(session)).toHaveLength(6)
    expect(callsOf(at(callsOf(session)[5], 'childSession'))).toHaveLength(1)
    expect(Object.fromEntries(counting.reads)).toEqual({
      'scopes.findNamed': 1,
      'sessions.find': 1,
      // Of each level its calls, their children and what these are for.
      'sessions.findMany': 2,
      'queue.views': 3,
      'queue.findMany': 3,
      'runs.latest': 2,
      'runs.findMany': 3,
      'messages.parts': 2,
    })
    for (const [name, reads] of [['Family', 6], ['Delegated', 7]] as const) {
      counting.reset()
      const example = exampleOperations.find((it) => it.name === name)
      await api.data(example?.source ?? '', { scope: 'default', session: 's' })
      expect([name, counting.reads.values().reduce((sum, count) => sum + count, 0)]).toEqual([name, reads])
    }
  })

  const EVENTS = `subscription { events(scopeId: "default", sessionId: "s", types: [SESSION_CREATED, PART_UPDATED, PART_COMPLETED]) {
    type sessionId
    ... on SessionCreatedEvent { agent depth }
    ... on PartUpdatedEvent { part { status ... on ToolPart { childSession { sessionId } } } }
    ... on PartCompletedEvent { part { status ... on ToolPart { childSession { sessionId } model { id } } } }
  } }`

  test('A96: tells its session in the events of its part, when there is one and at the end, between those of its session', async () => {
    const { world, api } = await team()
    const feed = await api.watch(EVENTS)
    await world.prompt(textOf(delegate({ to: 'writer', script: say('done') })))
    const [child] = await childrenOf(world)
    const childSession = { sessionId: child?.sessionId }
    const ended = { status: 'COMPLETED', childSession, model: { id: 'test:manual' } }
    const events = await feed.until(({ type, sessionId }) => type === 'PART_COMPLETED' && sessionId === 's')
    expect(events[0]).toEqual({ type: 'SESSION_CREATED', sessionId: child?.sessionId, agent: 'writer', depth: 1 })
    expect(events.at(-1)).toEqual({ type: 'PART_COMPLETED', sessionId: 's', part: ended })
    const linked = events.filter(({ type }) => type === 'PART_UPDATED')
    expect(linked.length).toBeGreaterThan(0)
    for (const event of linked) expect(event).toMatchObject({ sessionId: 's', part: { childSession } })
    await feed.stop()
  })
})

const LIVE = `subscription ($id: ID! = "s") { liveRun(scopeId: "default", sessionId: $id) {
  runId status messages { sessionId role parts { __typename ... on TextPart { text } ... on ToolPart { childSession { sessionId } } } }
} }`

const sessionsIn = (update: unknown) => new Set((at(update, 'messages') as readonly Data[]).map(({ sessionId }) => sessionId))
const textsIn = (update: unknown) =>
  (at(update, 'messages') as readonly Data[]).flatMap(({ role, parts }) =>
    role === 'ASSISTANT' ? (parts as readonly Data[]).flatMap(({ text }) => text ?? []) : [],
  )

describe('a live run', () => {
  test('A97: shows the messages of the runs to which it delegates, at any depth, as they grow', async () => {
    const { world, api } = await team()
    await world.prompt(textOf({ hang: 'first' }))
    const feed = await api.watch(LIVE)
    const seen: unknown[] = [await feed.event()]
    expect(sessionsIn(seen[0])).toEqual(new Set(['s']))
    const reading = (async () => {
      do seen.push(await feed.event())
      while (at(seen.at(-1), 'status') === 'RUNNING')
    })()
    const input = inputOf({ to: 'researcher', script: chain(1, { hang: 'last' }) })
    world.models.last.calls('delegate', input, 'd0').finish('continue')
    await world.clock.advance(200)
    const [, middle, deepest] = (await treeOf(world)).map(({ sessionId }) => sessionId)
    const call = world.models.last.start().delta('Hel')
    await world.clock.advance(200)
    expect(textsIn(seen.at(-1))).toEqual(['Hel'])
    expect(sessionsIn(seen.at(-1))).toEqual(new Set([deepest]))
    call.delta('lo').end().finish()
    await world.clock.advance(200)
    world.models.last.answer('Bye')
    await world.clock.advance(200)
    await reading
    expect(new Set(seen.flatMap((update) => [...sessionsIn(update)]))).toEqual(new Set(['s', middle, deepest]))
    expect(new Set(seen.map((update) => at(update, 'runId')))).toEqual(new Set([(await world.runs())[0]?.runId]))
    expect(at(seen.at(-1), 'status')).toBe('COMPLETED')
  })

  test('A97: that is looked at later, or is over, begins with all of their messages', async () => {
    const { world, api } = await team()
    await world.prompt(textOf(delegate({ to: 'writer', script: { hang: 'last' } }, { to: 'researcher', script: say('done') })))
    const children = (await childrenOf(world)).map(({ sessionId }) => sessionId)
    const late = await api.watch(LIVE)
    const first = await late.event()
    const order = (at(first, 'messages') as readonly Data[]).map(({ sessionId, role }) => `${String(sessionId)} ${String(role)}`)
    expect(order).toEqual(['s', ...children].flatMap((id) => [`${id} USER`, `${id} ASSISTANT`]))
    world.models.calls.find(({ request }) => request.agent === 'writer')?.answer('written')
    await world.clock.advance(1_000)
    await late.until(({ status }) => status === 'COMPLETED')
    expect(await late.next()).toBeUndefined()
    const over = await api.watch(LIVE)
    const whole = await over.event()
    expect(whole).toMatchObject({ status: 'COMPLETED' })
    expect(textsIn(whole)).toEqual(expect.arrayContaining(['written', 'done']))
    expect(sessionsIn(whole)).toEqual(new Set(['s', ...children]))
    expect(await over.next()).toBeUndefined()
  })

  test('A97: shows nothing of an earlier run of a child, and nothing of other runs below', async () => {
    const { world, api } = await team()
    await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
    const [child] = await childrenOf(world)
    const taskId = child?.sessionId ?? ''
    await world.prompt(textOf(delegate({ to: 'writer', script: say('again'), taskId })))
    const whole = await (await api.watch(LIVE)).event()
    expect(textsIn(whole)).toContain('again')
    expect(textsIn(whole)).not.toContain('first')
    expect(sessionsIn(await (await api.watch(LIVE, { id: taskId })).event())).toEqual(new Set([taskId]))
  })
})

const ENQUEUE = `mutation ($id: ID!) { enqueuePrompt(input: { scopeId: "default", sessionId: $id, text: "hello" }) {
  __typename ... on Error { code } ... on ValidationError { issues { path message } }
} }`

test("A98: a subagent's session is prompted by the run that delegates to it alone; a client is told so, and nothing is stored", async () => {
  const { world, api } = await team()
  await world.prompt(textOf(twoTasks))
  const sizes = async () => Promise.all((await treeOf(world)).map(async ({ sessionId }) => (await world.entries(sessionId)).length))
  const [before, head] = [await sizes(), (await world.events()).length]
  const [, ...children] = await treeOf(world)
  expect(children).toHaveLength(3)
  for (const { sessionId } of children) {
    expect(at(await api.data(ENQUEUE, { id: sessionId }), 'enqueuePrompt')).toMatchObject({
      __typename: 'ValidationError',
      code: 'VALIDATION_FAILED',
      issues: [{ path: ['input', 'sessionId'], message: expect.stringContaining('only the run that delegates to it') as string }],
    })
  }
  expect([await sizes(), (await world.events()).length]).toEqual([before, head])
})

const ASKED = `{ session(scopeId: "default", sessionId: "s") {
  treeStatus descendantCount activity { kind } lastRun { status error { code } toolExecutions { status error { message } permission { permissionId } } }
  permissions { permissionId kind description rememberKey metadata toolCallId state decision }
} }`

describe('a delegation that is asked for', () => {
  const asking = async () => {
    const { world, api } = await team({ policies: [] })
    await world.prompt(textOf(delegate({ to: 'writer', script: say('done') })))
    return { world, api, asked: async () => at(await api.data(ASKED), 'session') }
  }

  test('A99: shows who is to work at what, in the session that it would create, and can be allowed this once', async () => {
    const { world, api, asked } = await asking()
    const before = await asked()
    const permissionId = await waiting(api)
    const [request] = at(before, 'permissions') as readonly Data[]
    expect(request).toEqual({
      permissionId,
      kind: 'subagent.start',
      description: 'Delegate to the subagent writer: a task for the writer',
      rememberKey: null,
      metadata: {
        agent: 'writer',
        description: 'a task for the writer',
        childSessionId: expect.stringMatching(/^subagent_[0-9a-f]{64}$/) as string,
      },
      toolCallId: 'd0',
      state: 'PENDING',
      decision: null,
    })
    expect(before).toMatchObject({ treeStatus: 'AWAITING_PERMISSION', descendantCount: 0 })
    expect(await respond(api, { permissionId, decision: 'ALWAYS' })).toMatchObject({ __typename: 'ValidationError' })
    expect(await waiting(api)).toBe(permissionId)
    expect(await respond(api, { permissionId, decision: 'ONCE' })).toMatchObject({ permission: { decision: 'ONCE' } })
    await world.clock.settle()
    const [child] = await childrenOf(world)
    expect(child?.sessionId).toBe(at(request, 'metadata', 'childSessionId'))
    expect(await asked()).toMatchObject({
      descendantCount: 1,
      lastRun: { status: 'COMPLETED', toolExecutions: [{ status: 'COMPLETED', permission: { permissionId } }] },
      permissions: [{ decision: 'ONCE' }],
    })
  })

  test.each<readonly [how: string, answer: Data, lastRun: Data]>([
    [
      'with a message, and the model goes on',
      { message: 'Do it yourself.' },
      { status: 'COMPLETED', toolExecutions: [{ status: 'FAILED', error: { message: 'Do it yourself.' } }] },
    ],
    ['without one, and the run fails', {}, { status: 'FAILED', error: { code: 'PERMISSION_REJECTED' } }],
  ])('A99: creates nothing when it is rejected %s', async (_, answer, lastRun) => {
    const { world, api, asked } = await asking()
    await respond(api, { permissionId: await waiting(api), decision: 'REJECT', ...answer })
    await world.clock.settle()
    expect(await asked()).toMatchObject({ descendantCount: 0, treeStatus: 'IDLE', lastRun })
  })
})

test('A92: a tree that runs have made shows after every commit what is below each session, as one that was planted does', async () => {
  const clock = virtualClock()
  const { stores, checks } = withRollUpsChecked(memoryStores({ clock }))
  const { world, api } = await team({ clock, stores })
  await world.prompt(textOf(twoTasks))
  expect(checks()).toBeGreaterThan(10)
  const data = await api.data(`{ session(scopeId: "default", sessionId: "s") {
    treeStatus descendantCount usage { totalTokens } treeUsage { totalTokens }
    descendants(first: 9) { edges { node { agent depth ancestors { agent } usage { totalTokens } } } }
  } }`)
  expect(at(data, 'session')).toMatchObject({
    treeStatus: 'IDLE',
    descendantCount: 3,
    usage: { totalTokens: 10 },
    treeUsage: { totalTokens: 30 },
  })
  expect(nodesOf(at(data, 'session', 'descendants'))).toEqual([
    { agent: 'researcher', depth: 1, ancestors: [{ agent: null }], usage: { totalTokens: 10 } },
    { agent: 'writer', depth: 2, ancestors: [{ agent: null }, { agent: 'researcher' }], usage: { totalTokens: 5 } },
    { agent: 'writer', depth: 1, ancestors: [{ agent: null }], usage: { totalTokens: 5 } },
  ])
})
