import { expect, test } from 'vitest'
import { asSessionId, type ScopeId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const create = (world: World, input: Partial<Parameters<World['harness']['createSession']>[0]> = {}) =>
  world.harness.createSession({ scopeId, ...input }, caller)

test('S40: of many who create the same session at once exactly one succeeds', async () => {
  const world = await World.started()
  const sessionId = asSessionId('same')
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(world, { sessionId })))
  const refusals = answers.filter((answer) => !answer.ok).map(({ refusal: { code } }) => code)
  expect(refusals).toEqual(Array.from({ length: 19 }, () => 'VALIDATION_FAILED'))
  expect(await world.types()).toEqual(['session.created'])
})

test('S41: each creation is one revision of the scope, and names the generation', async () => {
  const world = await World.started()
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(world)))
  const sequences = answers.map((answer) => ok(answer).generation.generationSequence)
  expect(sequences.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
  expect((await world.harness.openScope(scopeId, caller))?.scope?.revision).toBe(5)
  expect(new Set(answers.map((answer) => ok(answer).sessionId)).size).toBe(5)
})

test('S42: a creation that is repeated while the first one is under way gives the same session', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const quick = await World.started({ stores, clock })
  const request = { clientRequestId: 'r', sessionId: asSessionId('s') }
  const find: typeof stores.requests.find = async (...named) => {
    const found = await stores.requests.find(...named)
    if (!found) ok(await create(quick, request))
    return found
  }
  const slow = await World.started({ stores: { ...stores, requests: { ...stores.requests, find } }, clock })
  expect(ok(await create(slow, request)).sessionId).toBe('s')
  expect(await slow.types()).toEqual(['session.created'])
})

test('S42: the same client request gives the same session, also when it is made many times at once', async () => {
  const world = await World.started()
  const request = { clientRequestId: 'r', title: 'T' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(world, request)))
  expect(new Set(answers.map((answer) => ok(answer).sessionId)).size).toBe(1)
  expect(refusal(await create(world, { ...request, title: 'U' }))).toBe('VALIDATION_FAILED')
  ok(await world.harness.createSession({ scopeId: 'other' as ScopeId, ...request }, caller))
  expect(await world.types()).toEqual(['session.created'])
})

test('S42: a repeated request never gives another session that has its id by now', async () => {
  const world = await World.started()
  const request = { clientRequestId: 'r', sessionId: asSessionId('s') }
  ok(await create(world, request))
  ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller))
  expect(refusal(await create(world, request))).toBe('NOT_FOUND')
  ok(await create(world, { sessionId: asSessionId('s'), title: 'Another' }))
  expect(refusal(await create(world, request))).toBe('NOT_FOUND')
})

test('S43: a refused scope is not found, and nothing is made in it', async () => {
  const world = await World.started({ resolver: { resolve: async () => undefined } })
  expect(refusal(await create(world))).toBe('NOT_FOUND')
  expect(await world.harness.openScope(scopeId, caller)).toBeUndefined()
  expect(await world.stores.scopes.page(undefined, 10)).toEqual([])
})

test('S43: scope ids that stand for one storage key see the same sessions', async () => {
  const resolver = { resolve: async () => ({ storageKey: 'shared' as never, context: undefined }) }
  const world = await World.started({ resolver })
  const sessionId = asSessionId('s')
  ok(await create(world, { sessionId }))
  const alias = await world.harness.enqueuePrompt({ scopeId: 'alias' as ScopeId, sessionId, text: 'hi' }, caller)
  ok(alias)
  await world.clock.settle()
  expect(world.models.last.request.scopeId).toBe('alias')
})

test('S44: every faulty field of a session is named, and nothing is stored', async () => {
  const world = await World.started()
  const answer = await create(world, {
    sessionId: asSessionId('x'.repeat(10_000)),
    title: 'a\u0007b',
    metadata: { big: 'x'.repeat(16 * 1024) },
    clientRequestId: '',
  })
  if (answer.ok || answer.refusal.code !== 'VALIDATION_FAILED') throw new Error('It was expected to be refused.')
  expect(answer.refusal.issues.map(({ path }) => path.join('.'))).toEqual([
    'sessionId',
    'title',
    'metadata',
    'clientRequestId',
  ])
  expect(await world.stores.scopes.page(undefined, 10)).toEqual([])
})

test('verbs are refused before the start, and a harness starts once', async () => {
  const world = new World()
  expect(refusal(await create(world))).toBe('SHUTTING_DOWN')
  await world.harness.start()
  await expect(world.harness.start()).rejects.toThrow('once')
})

test('limits that make no sense are refused at construction', () => {
  expect(() => new World({ limits: { maxSteps: 0 } })).toThrow(RangeError)
  expect(() => new World({ limits: { maxConcurrentRuns: 1.5 } })).toThrow('limits.maxConcurrentRuns')
})
