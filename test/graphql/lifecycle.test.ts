import { describe, expect, test } from 'vitest'
import { asStorageKey, type ScopeId } from '../../src/kernel/ids.ts'
import { LosingWorld } from '../support/losing-world.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'
import { Api, at, nodesOf } from './api.ts'

const RETIRE = `mutation ($scope: ID = "default") { retireScope(input: { scopeId: $scope }) {
  __typename ... on RetireScopePayload { scope { scopeId lifecycle revision } } ... on Error { code message }
} }`
const LIFECYCLE = 'query ($scope: ID = "default") { scope(id: $scope) { lifecycle } }'
const lifecycleOf = async (api: Api, scope?: string) =>
  at(await api.data(LIFECYCLE, scope === undefined ? {} : { scope }), 'scope', 'lifecycle')
const fence = (world: World) => world.harness.fenceScope({ scopeId, reason: 'Somebody doubts it.' }, caller)

/** A world in which a commit takes until the result is called. */
async function held(options: ConstructorParameters<typeof LosingWorld>[0] = {}) {
  const losing = await LosingWorld.started(options)
  const { world } = losing
  await world.session()
  await world.prompt('runs')
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  const release = async () => {
    losing.gate = undefined
    gate.resolve()
    await world.clock.settle()
  }
  return { losing, world, api: new Api(world.harness), release }
}

test('A47: a scope says under all its ids whether it takes work', async () => {
  const resolver = { resolve: async () => ({ storageKey: asStorageKey('default'), context: undefined }) }
  const { world, api, release } = await held({ resolver })
  const both = async () => [await lifecycleOf(api), await lifecycleOf(api, 'alias')]
  expect(await both()).toEqual(['ACTIVE', 'ACTIVE'])
  ok(await fence(world))
  expect(await both()).toEqual(['FENCED', 'FENCED'])
  const retiring = api.data(RETIRE, { scope: 'alias' })
  await world.clock.settle()
  expect(await both()).toEqual(['RETIRING', 'RETIRING'])
  await release()
  expect(at(await retiring, 'retireScope')).toEqual({
    __typename: 'RetireScopePayload',
    scope: { scopeId: 'alias', lifecycle: 'RETIRED', revision: 1 },
  })
  expect(await both()).toEqual(['ACTIVE', 'ACTIVE'])
})

describe('A5: whatever changes a conversation in a scope that', () => {
  const about = 'scopeId: "default", sessionId: "s"'
  const mutations = {
    createSession: 'createSession(input: { scopeId: "default" })',
    enqueuePrompt: `enqueuePrompt(input: { ${about}, text: "Hi" })`,
    cancelPrompt: `cancelPrompt(input: { ${about}, queueId: "x" })`,
    abortRun: `abortRun(input: { ${about} })`,
  }

  test.each(Object.entries(mutations))('is being retired: %s is ScopeRetiredError', async (name, call) => {
    const { world, api, release } = await held()
    const retiring = api.data(RETIRE)
    await world.clock.settle()
    const answer = at(await api.data(`mutation { ${call} { __typename ... on Error { code message } } }`), name)
    expect(answer).toEqual({
      __typename: 'ScopeRetiredError',
      code: 'SCOPE_RETIRED',
      message: expect.stringContaining('its next use begins afresh') as string,
    })
    await release()
    await retiring
  })

  test.each(Object.entries(mutations))('is fenced: %s is ScopeFencedError', async (name, call) => {
    const { world, api, release } = await held()
    ok(await fence(world))
    const answer = at(await api.data(`mutation { ${call} { __typename ... on Error { code message } } }`), name)
    expect(answer).toEqual({
      __typename: 'ScopeFencedError',
      code: 'SCOPE_FENCED',
      message: expect.stringContaining('Somebody doubts it.') as string,
    })
    await release()
  })
})

test('A5: what retiring a scope may meet is typed', async () => {
  const losing = await LosingWorld.started({
    resolver: {
      resolve: async (id: ScopeId) =>
        id === 'nowhere' ? undefined : { storageKey: asStorageKey('default'), context: undefined },
    },
  })
  const { world } = losing
  const api = new Api(world.harness)
  const retire = async (scope: string) => at(await api.data(RETIRE, { scope }), 'retireScope', '__typename')
  expect([await retire(''), await retire('nowhere')]).toEqual(['ValidationError', 'NotFoundError'])
  await world.session()
  losing.loseNext('before')
  const lost = Promise.allSettled([world.enqueue('lost')])
  await losing.untilFenced()
  await lost
  const retiring = retire('default')
  await world.clock.advance(40_000)
  expect([await retiring, await lifecycleOf(api)]).toEqual(['ScopeFencedError', 'RETIRING'])
  await losing.heal()
  expect(await retire('default')).toBe('RetireScopePayload')
  await world.harness.close({ graceMs: 0 })
  expect(await retire('default')).toBe('ShuttingDownError')
})

test('A48: that a scope was fenced and restored is told to those who watch the scope, about no session', async () => {
  const world = await World.started()
  const api = new Api(world.harness)
  await world.session()
  const told = `__typename type sequence sessionId generation { generationId } eventId
    ... on ScopeFencedEvent { reason } ... on ScopeRestoredEvent { fencedAt }`
  const whole = await api.watch(`subscription { events(scopeId: "default") { ${told} cursor } }`)
  const session = await api.watch('subscription { events(scopeId: "default", sessionId: "s") { type } }')
  ok(await fence(world))
  await world.clock.settle()
  const about = { sessionId: null, generation: null }
  const events = await whole.events(2)
  const fencedAt = new Date(world.clock.now()).toISOString()
  expect(events).toMatchObject([
    { __typename: 'ScopeFencedEvent', type: 'SCOPE_FENCED', sequence: 2, ...about, reason: 'Somebody doubts it.' },
    { __typename: 'ScopeRestoredEvent', type: 'SCOPE_RESTORED', sequence: 3, ...about, fencedAt },
  ])
  await world.prompt('hello')
  expect(await session.event()).toMatchObject({ type: 'PROMPT_QUEUED' })
  const after = await api.watch(
    `subscription ($after: String) { events(scopeId: "default", after: $after) { type } }`,
    { after: events[0]?.['cursor'] },
  )
  expect(await after.event()).toEqual({ type: 'SCOPE_RESTORED' })
  const log = `query { scope(id: "default") { events(types: [SCOPE_FENCED, SCOPE_RESTORED]) { edges { node { ${told} } } } } }`
  expect(nodesOf(at(await api.data(log), 'scope', 'events'))).toMatchObject([{ sequence: 2 }, { sequence: 3 }])
})
