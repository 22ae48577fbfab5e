import { describe, expect, test } from 'vitest'
import { asScopeId, asSessionId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, tester } from '../support/world.ts'
import { Api, at, type Data } from './api.ts'
import { approving, callsWrite, respond, waiting } from './approving.ts'
import { countingStores } from './counting-stores.ts'
import { plant } from './planted.ts'

const CALL = `{ session(scopeId: "default", sessionId: "s") {
  status activity { kind }
  messages(last: 1) { edges { node { parts {
    __typename status startedAt finishedAt
    ... on ToolPart {
      toolCallId intentId toolName input output error { code message } begunAt permission { permissionId state decision }
    }
  } } } }
  lastRun { status error { code } toolExecutions { toolCallId status } permissions { permissionId decision } }
} }`

/** The session, and the call in its last message. */
async function seen(api: Api) {
  const { session } = await api.data(CALL)
  return { session, call: at(session, 'messages', 'edges', 0, 'node', 'parts', 0) }
}

describe('a call of a tool', () => {
  test('A70: shows in its message from the moment when it was asked for, with its request, until its output', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const permissionId = await waiting(api)
    const asked = await seen(api)
    expect(asked.session).toMatchObject({
      status: 'AWAITING_PERMISSION',
      activity: { kind: 'AWAITING_PERMISSION' },
      lastRun: { status: 'RUNNING', permissions: [{ permissionId, decision: null }] },
    })
    expect(asked.call).toMatchObject({
      __typename: 'ToolPart',
      status: 'AWAITING_PERMISSION',
      toolCallId: expect.any(String) as string,
      toolName: 'write',
      input: { path: 'a' },
      output: null,
      error: null,
      begunAt: null,
      finishedAt: null,
      permission: { permissionId, state: 'PENDING', decision: null },
    })
    await world.clock.advance(5_000)
    await respond(api, { permissionId, decision: 'ONCE' })
    await world.clock.settle()
    const begun = await seen(api)
    expect(begun.session).toMatchObject({ status: 'BUSY', activity: { kind: 'CALLING_TOOL' } })
    expect(begun.call).toMatchObject({
      status: 'RUNNING',
      begunAt: new Date(Date.parse(String(at(asked.call, 'startedAt'))) + 5_000).toISOString(),
      permission: { state: 'RESOLVED', decision: 'ONCE' },
    })
    world.tools.last.answer({ written: [1, null] })
    await world.clock.settle()
    const toolCallId = at(asked.call, 'toolCallId')
    expect(await seen(api)).toMatchObject({
      session: { lastRun: { toolExecutions: [{ toolCallId, status: 'COMPLETED' }] } },
      call: { status: 'COMPLETED', output: { written: [1, null] }, error: null },
    })
  })

  test('A70: a live run tells of each step of it', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const live = await api.watch(`subscription { liveRun(scopeId: "default", sessionId: "s") {
      status messages { parts { status ... on ToolPart { output } } }
    } }`)
    const statusOf = (update: Data) => at((update['messages'] as Data[]).at(-1), 'parts', 0, 'status')
    expect(statusOf(await live.event())).toBe('AWAITING_PERMISSION')
    const next = live.event()
    await respond(api, { permissionId: await waiting(api), decision: 'ONCE' })
    await world.clock.advance(200)
    expect(statusOf(await next)).toBe('RUNNING')
    const last = live.event()
    world.tools.last.answer('done')
    await world.clock.advance(200)
    expect(at(await last, 'messages', 0, 'parts', 0)).toEqual({ status: 'COMPLETED', output: 'done' })
    await live.stop()
  })

  test('A70: whoever begins to listen while it waits hears of its next step, and of no text', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const feed = await api.watch(`subscription { events(scopeId: "default", sessionId: "s") {
      type ... on PartUpdatedEvent { part { ... on ToolPart { toolName } } }
    } }`)
    const heard = feed.until(({ type }) => type === 'PART_COMPLETED')
    await respond(api, { permissionId: await waiting(api), decision: 'ONCE' })
    await world.clock.advance(2_000)
    world.tools.last.answer('done')
    await world.clock.settle()
    const durable = (await heard).filter(({ type }) => type !== 'SESSION_ACTIVITY')
    expect(durable).toEqual([
      { type: 'PERMISSION_RESOLVED' },
      { type: 'PART_UPDATED', part: { toolName: 'write' } },
      { type: 'PART_UPDATED', part: { toolName: 'write' } },
      { type: 'PART_COMPLETED' },
    ])
    await feed.stop()
  })

  test('A13, A70: its events hold the request as it was, and the part as it is', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    await respond(api, { permissionId: await waiting(api), decision: 'ALWAYS' })
    await world.clock.settle()
    world.tools.last.answer('done')
    await world.clock.settle()
    const types = 'PART_CREATED, PERMISSION_REQUESTED, PERMISSION_RESOLVED, GRANT_CHANGED, PART_UPDATED, PART_COMPLETED'
    const data = await api.data(`{ scope(id: "default") { events(types: [${types}]) { edges { node {
      type sessionId
      ... on PartCreatedEvent { part { status ... on ToolPart { output permission { id } } } }
      ... on PartUpdatedEvent { part { status } }
      ... on PartCompletedEvent { part { status } }
      ... on PermissionRequestedEvent { decision permission { state decidedBy session { status } } }
      ... on PermissionResolvedEvent { decision permission { state decidedBy } }
      ... on GrantChangedEvent { rememberKey change session { sessionId } }
    } } } } }`)
    const events = (at(data, 'scope', 'events', 'edges') as { node: Data }[]).map(({ node }) => node)
    const sessionId = 's'
    const now = { part: { status: 'COMPLETED' } }
    const by = { state: 'RESOLVED', decidedBy: 'tester' }
    expect(events.map(({ type }) => String(type)).toSorted()).toEqual([
      'GRANT_CHANGED',
      'PART_COMPLETED',
      'PART_CREATED',
      'PART_UPDATED',
      'PART_UPDATED',
      'PART_UPDATED',
      'PERMISSION_REQUESTED',
      'PERMISSION_RESOLVED',
    ])
    const requested = { state: 'PENDING', decidedBy: null, session: { status: 'BUSY' } }
    for (const event of [
      { type: 'PART_CREATED', sessionId, part: { status: 'PENDING', output: null, permission: null } },
      { type: 'PART_UPDATED', sessionId, ...now },
      { type: 'PART_COMPLETED', sessionId, ...now },
      { type: 'PERMISSION_REQUESTED', sessionId, decision: null, permission: requested },
      { type: 'PERMISSION_RESOLVED', sessionId, decision: 'ALWAYS', permission: by },
      { type: 'GRANT_CHANGED', sessionId, rememberKey: 'write', change: 'GRANTED', session: { sessionId } },
    ]) {
      expect(events).toContainEqual(event)
    }
  })
})

describe('an answer', () => {
  test('A71: names who decided; the first one counts, and a second is PermissionStateError', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const permissionId = await waiting(api)
    const answers = await Promise.all(
      (['ONCE', 'ALWAYS', 'REJECT'] as const).map((decision) => respond(api, { permissionId, decision })),
    )
    expect(answers.map(({ __typename }) => String(__typename)).toSorted()).toEqual([
      'PermissionStateError',
      'PermissionStateError',
      'RespondToPermissionPayload',
    ])
    expect(answers).toContainEqual(expect.objectContaining({ code: 'PERMISSION_STATE' }))
    expect(answers.find(({ permission }) => permission)).toMatchObject({
      permission: { state: 'RESOLVED', decision: 'ONCE', message: null, decidedBy: 'tester' },
    })
    expect(await waiting(api)).toBe('undefined')
    const resolved = (await world.types()).filter((type) => type === 'permission.resolved')
    expect(resolved).toHaveLength(1)
  })

  test('A71: REJECT stops the run; with a message it denies the call alone, and the model is told', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const answer = await respond(api, { permissionId: await waiting(api), decision: 'REJECT', message: 'Not there.' })
    expect(answer).toMatchObject({ permission: { decision: 'REJECT', message: 'Not there.' } })
    await world.clock.settle()
    expect(await seen(api)).toMatchObject({
      session: { lastRun: { status: 'RUNNING' } },
      call: { status: 'FAILED', error: { code: 'PERMISSION_DENIED', message: 'Not there.' }, begunAt: null },
    })
    world.models.last.calls('write', {}).finish('continue')
    await world.clock.settle()
    await respond(api, { permissionId: await waiting(api), decision: 'REJECT' })
    await world.clock.advance(1_000)
    expect((await seen(api)).session).toMatchObject({ status: 'IDLE', lastRun: { status: 'FAILED' } })
    expect(world.tools.executions).toEqual([])
  })

  test('A71: a request of a run that is stopped is CANCELLED and can no longer be answered', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const permissionId = await waiting(api)
    await world.abort()
    await world.clock.advance(1_000)
    expect(await respond(api, { permissionId, decision: 'ONCE' })).toMatchObject({ __typename: 'PermissionStateError' })
    const data = await api.data(`{ session(scopeId: "default", sessionId: "s") {
      waiting: permissions(pending: true) { id } all: permissions { state decision decidedBy resolvedAt run { status } }
    } }`)
    expect(data['session']).toMatchObject({
      waiting: [],
      all: [{ state: 'RESOLVED', decision: 'CANCELLED', decidedBy: null, run: { status: 'CANCELLED' } }],
    })
  })

  test('A5: ValidationError for a message beside anything but REJECT, and for one that breaks a rule', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    const permissionId = await waiting(api)
    for (const input of [
      { permissionId, decision: 'ONCE', message: 'Why not?' },
      { permissionId, decision: 'REJECT', message: '' },
      { permissionId, decision: 'REJECT', message: 'x'.repeat(2049) },
      { permissionId, decision: 'REJECT', message: 'a\0b' },
    ]) {
      expect(await respond(api, input)).toMatchObject({
        __typename: 'ValidationError',
        issues: [{ path: ['input', 'message'] }],
      })
    }
    expect(await waiting(api)).toBe(permissionId)
  })
})

const REVOKE = `mutation ($input: RevokeGrantInput!) { revokeGrant(input: $input) {
  __typename
  ... on RevokeGrantPayload { grant { rememberKey grantedBy session { sessionId } permission { permissionId } } }
  ... on Error { code } ... on ValidationError { issues { path } }
} }`
const GRANTS = `query ($id: ID!) { session(scopeId: "default", sessionId: $id) {
  grants { rememberKey grantedBy createdAt session { sessionId } }
} }`

describe('an ALWAYS', () => {
  test('A72: is seen where it is stored and in all sessions below, lets calls pass, and is revoked where it is', async () => {
    const { world, api } = await approving()
    await plant(world.stores, { parent: await world.load(), id: 'child', at: world.clock.now(), agent: 'nobody' })
    const grants = async (id: string) => at(await api.data(GRANTS, { id }), 'session', 'grants')
    await callsWrite(world)
    const permissionId = await waiting(api)
    await respond(api, { permissionId, decision: 'ALWAYS' })
    await world.clock.settle()
    world.tools.last.answer('done')
    await world.clock.settle()
    world.models.last.answer('Bye')
    await world.clock.settle()
    expect(await grants('s')).toEqual([
      {
        rememberKey: 'write',
        grantedBy: 'tester',
        createdAt: new Date(world.clock.now()).toISOString(),
        session: { sessionId: 's' },
      },
    ])
    expect(await grants('child')).toEqual(await grants('s'))

    await callsWrite(world, { session: 'child' })
    expect(await waiting(api, 'child')).toBe('undefined')
    expect(world.tools.executions).toHaveLength(2)
    const asked = await api.data(
      '{ session(scopeId: "default", sessionId: "child") { permissions { decision decidedBy } } }',
    )
    expect(at(asked, 'session', 'permissions')).toEqual([{ decision: 'GRANTED_BEFORE', decidedBy: null }])

    const revoke = async (input: Data) =>
      (await api.data(REVOKE, { input: { scopeId: 'default', rememberKey: 'write', ...input } }))['revokeGrant']
    expect(await revoke({ sessionId: 'child' })).toMatchObject({ __typename: 'NotFoundError' })
    expect(await revoke({ sessionId: 's', rememberKey: '' })).toMatchObject({
      issues: [{ path: ['input', 'rememberKey'] }],
    })
    expect(await revoke({ sessionId: 's' })).toEqual({
      __typename: 'RevokeGrantPayload',
      grant: {
        rememberKey: 'write',
        grantedBy: 'tester',
        session: { sessionId: 's' },
        permission: { permissionId },
      },
    })
    expect(await revoke({ sessionId: 's' })).toMatchObject({ __typename: 'NotFoundError' })
    expect(await grants('child')).toEqual([])
    await callsWrite(world)
    expect(await waiting(api)).not.toBe('undefined')
  })

  test('A5: ValidationError for a request that has no rememberKey; ONCE answers it', async () => {
    const { world, api } = await approving()
    await world.prompt('go')
    const asked = world.tools.requests.at(-1)?.requestPermission({ kind: 'deploy', description: 'Deploy it' })
    await world.clock.settle()
    const permissionId = await waiting(api)
    expect(await respond(api, { permissionId, decision: 'ALWAYS' })).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['input', 'decision'] }],
    })
    expect(await respond(api, { permissionId, decision: 'ONCE' })).toMatchObject({ permission: { state: 'RESOLVED' } })
    expect(await asked).toBeUndefined()
  })
})

test('A74: what belongs to another scope is as absent as what does not exist', async () => {
  const { world, api } = await approving()
  await callsWrite(world)
  const permissionId = await waiting(api)
  ok(await world.harness.createSession({ scopeId: asScopeId('other'), sessionId: asSessionId('s') }, caller))
  const elsewhere = (id: string) => respond(api, { scopeId: 'other', permissionId: id, decision: 'ONCE' })
  const withoutId = (answer: Data, id: string) => JSON.stringify(answer).replaceAll(id, '…')
  const foreign = await elsewhere(permissionId)
  expect(foreign).toMatchObject({ __typename: 'NotFoundError' })
  expect(withoutId(foreign, permissionId)).toBe(withoutId(await elsewhere('invented'), 'invented'))
  expect(await respond(api, { scopeId: 'empty', permissionId, decision: 'ONCE' })).toEqual(
    await respond(new Api(world.harness, { ...tester, scopes: ['default'] }), {
      scopeId: 'empty',
      permissionId,
      decision: 'ONCE',
    }),
  )
  const nodes = await api.data('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    ids: [`Permission:default/${permissionId}`, `Permission:other/${permissionId}`, 'Permission:default/invented'],
  })
  expect(nodes['nodes']).toEqual([{ id: `Permission:default/${permissionId}` }, null, null])
  expect(await waiting(api)).toBe(permissionId)
})

test('A8: however many requests, grants and calls there are, they cost the same reads', async () => {
  const readsWith = async (count: number) => {
    const clock = virtualClock()
    const counting = countingStores(memoryStores({ clock }))
    const { world, api } = await approving({ clock, stores: counting.stores })
    for (let i = 0; i < count; i++) {
      world.tools.add(`tool-${i}`)
      const id = `s${i}`
      await world.session(id)
      await callsWrite(world, { session: id, tool: `tool-${i}` })
      await respond(api, { permissionId: await waiting(api, id), decision: 'ALWAYS' })
      await clock.settle()
      world.tools.last.answer('done')
      await clock.settle()
      world.models.last.calls('write', {}).finish('continue')
      await clock.settle()
    }
    counting.reset()
    const { scope } = await api.data(`{ scope(id: "default") {
      pendingPermissions { session { sessionId } run { status } }
      sessions { edges { node {
        permissions { session { title } } waiting: permissions(pending: true) { id }
        grants { session { title } permission { id } } uncertainToolExecutions { id input }
        runs { edges { node { permissions { id } toolExecutions { permission { id } } } } }
        messages { edges { node { parts { ... on ToolPart { permission { id } } } } } }
      } } }
    } }`)
    expect(at(scope, 'pendingPermissions')).toHaveLength(count)
    return Object.fromEntries(counting.reads)
  }
  const few = await readsWith(1)
  expect(await readsWith(7)).toEqual(few)
  expect(few).toMatchObject({ 'permissions.inbox': 1, 'permissions.pending': 1, 'permissions.grants': 1 })
})
