import { describe, expect, test } from 'vitest'
import type { Principal } from '../../src/domain/access/principal.ts'
import { asSessionId, asScopeId, type ScopeId, type StorageKey } from '../../src/kernel/ids.ts'
import type { ScopeResolver } from '../../src/ports/scope-resolver.ts'
import { caller, ok, tester, World } from '../support/world.ts'
import { Api, at, Feed, nodesOf, type Result, codesOf } from './api.ts'

const secret = asScopeId('secret')

/** Two scopes with a session, a run and a queue entry each, and a caller who may read the first alone. */
async function twoScopes() {
  const world = await World.started()
  world.models.onCall = (call) => void call.answer('Hello')
  for (const scopeId of [asScopeId('default'), secret]) {
    ok(await world.harness.createSession({ scopeId, sessionId: asSessionId('s') }, caller))
    ok(await world.harness.enqueuePrompt({ scopeId, sessionId: asSessionId('s'), text: 'Hi' }, caller))
  }
  await world.clock.settle()
  const some: Principal = { ...tester, scopes: ['default', 'new'] }
  return { world, all: new Api(world.harness), some: new Api(world.harness, some) }
}

const idsOf = async (api: Api, scopeId: string): Promise<readonly string[]> => {
  const data = await api.data(
    `query ($scope: ID!) { scope(id: $scope) { id session(sessionId: "s") {
      id lastRun { id } queue { id } messages { edges { node { id } } }
    } } }`,
    { scope: scopeId },
  )
  const session = at(data, 'scope', 'session')
  const messages = nodesOf(at(session, 'messages')).map(({ id }) => id)
  return [
    at(data, 'scope', 'id'),
    at(session, 'id'),
    at(session, 'lastRun', 'id'),
    at(session, 'queue', 0, 'id'),
    ...messages,
  ] as string[]
}

const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'

describe('global ids', () => {
  test('A2: every node is found by its id again', async () => {
    const { all } = await twoScopes()
    const ids = await idsOf(all, 'default')
    const data = await all.data(nodes, { ids })
    expect(at(data, 'nodes')).toEqual([
      { __typename: 'Scope', id: 'Scope:default' },
      { __typename: 'Session', id: 'Session:default/s' },
      { __typename: 'Run', id: ids[2] },
      { __typename: 'QueueEntry', id: ids[3] },
      { __typename: 'Message', id: ids[4] },
      { __typename: 'Message', id: ids[5] },
    ])
    const single = await all.data('query ($id: ID!) { node(id: $id) { id ... on Run { status } } }', { id: ids[2] })
    expect(at(single, 'node')).toEqual({ id: ids[2], status: 'COMPLETED' })
  })

  test('A2: ids that name nothing are null', async () => {
    const { all } = await twoScopes()
    const ids = [
      '',
      'x',
      'Session:default/nobody',
      'Run:default/none',
      'Message:default/none.0',
      'QueueEntry:default/none',
      'Session:nowhere/s',
      'Session:default/%00',
      'U2Vzc2lvbjpz',
      '🙂',
      'x'.repeat(20_000),
      'Query:default/s',
    ]
    const data = await all.data(nodes, { ids })
    expect(at(data, 'nodes')).toEqual(ids.map(() => null))
  })

  test('A2: what belongs to another scope is not found under this one', async () => {
    const { all } = await twoScopes()
    const foreign = await idsOf(all, 'secret')
    const moved = foreign.slice(2).map((id) => id.replace(':secret/', ':default/'))
    const data = await all.data(nodes, { ids: moved })
    expect(at(data, 'nodes')).toEqual(moved.map(() => null))
  })
})

describe('what a caller may not see looks as if it did not exist', () => {
  test('A7: in queries, by global ids and in lists', async () => {
    const { all, some } = await twoScopes()
    const hidden = await idsOf(all, 'secret')
    expect(at(await some.data(nodes, { ids: hidden }), 'nodes')).toEqual(hidden.map(() => null))
    expect(
      await some.data('{ scope(id: "secret") { revision } session(scopeId: "secret", sessionId: "s") { id } }'),
    ).toEqual({
      scope: null,
      session: null,
    })
    const listed = nodesOf(at(await some.data('{ scopes { edges { node { scopeId } } } }'), 'scopes'))
    expect(listed).toEqual([{ scopeId: 'default' }])
    expect(nodesOf(at(await all.data('{ scopes { edges { node { scopeId } } } }'), 'scopes'))).toHaveLength(2)
  })

  test('A7: in mutations', async () => {
    const { some } = await twoScopes()
    const data = await some.data(`mutation {
      createSession(input: { scopeId: "secret", sessionId: "new" }) { ... on Error { code message } }
      enqueuePrompt(input: { scopeId: "secret", sessionId: "s", text: "x" }) { ... on Error { code } }
      cancelPrompt(input: { scopeId: "secret", sessionId: "s", queueId: "x" }) { ... on Error { code } }
      abortRun(input: { scopeId: "secret", sessionId: "s" }) { ... on Error { code } }
      respondToPermission(input: { scopeId: "secret", permissionId: "x", decision: ONCE }) { ... on Error { code } }
      revokeGrant(input: { scopeId: "secret", sessionId: "s", rememberKey: "x" }) { ... on Error { code } }
      reconcileToolExecution(input: { scopeId: "secret", intentId: "x", outcome: NOT_EXECUTED }) { ... on Error { code } }
    }`)
    expect(Object.values(data).map((it) => at(it, 'code'))).toEqual(Array.from({ length: 7 }, () => 'NOT_FOUND'))
  })

  test('A7: in subscriptions', async () => {
    const { some } = await twoScopes()
    const events = await some.attempt('subscription { events(scopeId: "secret") { type } }')
    expect(codesOf(events as Result)).toEqual(['NOT_FOUND'])
    const live = await some.attempt('subscription { liveRun(scopeId: "secret", sessionId: "s") { runId } }')
    expect(codesOf(live as Result)).toEqual(['NOT_FOUND'])
  })

  test('A7: in a subscription that was allowed, from the moment on that it no longer is', async () => {
    const { world } = await twoScopes()
    let allowed = true
    const principal: Principal = {
      ...tester,
      get scopes() {
        return allowed ? ['default'] : []
      },
    }
    const feed = await new Api(world.harness, principal).watch('subscription { events(scopeId: "default") { type } }')
    await world.session('t')
    expect(await feed.event()).toEqual({ type: 'SESSION_CREATED' })
    allowed = false
    await world.session('u')
    await expect(feed.next()).rejects.toMatchObject({ extensions: { code: 'NOT_FOUND' } })
    expect(world.harness.subscriptions.size).toBe(0)
  })
})

describe('scopes', () => {
  test('a scope in which nothing was stored is empty, and asking for it stores nothing', async () => {
    const world = await World.started()
    const api = new Api(world.harness)
    const data = await api.data(`{ scope(id: "new") {
      id scopeId revision lifecycle sessionCount session(sessionId: "s") { id }
      sessions { totalCount edges { cursor } pageInfo { hasNextPage endCursor } }
      events { edges { cursor } pageInfo { hasNextPage } }
    } session(scopeId: "new", sessionId: "s") { id } node(id: "Scope:new") { id } }`)
    expect(data).toMatchObject({
      scope: {
        id: 'Scope:new',
        scopeId: 'new',
        revision: 0,
        lifecycle: 'ACTIVE',
        sessionCount: 0,
        session: null,
        sessions: { totalCount: 0, edges: [], pageInfo: { hasNextPage: false, endCursor: null } },
        events: { edges: [], pageInfo: { hasNextPage: false } },
      },
      session: null,
      node: { id: 'Scope:new' },
    })
    expect(await world.stores.scopes.page(undefined, 10)).toEqual([])
  })

  test('two scope ids of one storage key show the same, each under its own name', async () => {
    const resolver: ScopeResolver = {
      resolve: async () => ({ storageKey: 'shared' as StorageKey, context: undefined }),
    }
    const world = await World.started({ resolver })
    const api = new Api(world.harness)
    ok(await world.harness.createSession({ scopeId: 'one' as ScopeId, sessionId: asSessionId('s') }, caller))
    const source = 'query ($scope: ID!) { scope(id: $scope) { id sessions { edges { cursor node { id scopeId } } } } }'
    const one = at(await api.data(source, { scope: 'one' }), 'scope')
    const two = at(await api.data(source, { scope: 'two' }), 'scope')
    expect(nodesOf(at(one, 'sessions'))).toEqual([{ id: 'Session:one/s', scopeId: 'one' }])
    expect(nodesOf(at(two, 'sessions'))).toEqual([{ id: 'Session:two/s', scopeId: 'two' }])
    expect(at(two, 'sessions', 'edges', 0, 'cursor')).toBe(at(one, 'sessions', 'edges', 0, 'cursor'))
  })

  test('a storage key that is no scope id is not listed', async () => {
    const resolver: ScopeResolver = {
      resolve: async (id) =>
        id === 'acme' ? { storageKey: 'tenant-42' as StorageKey, context: undefined } : undefined,
    }
    const world = await World.started({ resolver })
    ok(await world.harness.createSession({ scopeId: asScopeId('acme') }, caller))
    expect(at(await new Api(world.harness).data('{ scopes { edges { node { id } } } }'), 'scopes', 'edges')).toEqual([])
  })
})

test('A10: a subscription that does not begin leaves nothing', async () => {
  const { world, some } = await twoScopes()
  expect(await some.attempt('subscription { events(scopeId: "secret") { type } }')).not.toBeInstanceOf(Feed)
  expect(world.harness.subscriptions.size).toBe(0)
})
