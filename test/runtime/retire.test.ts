import { expect, test } from 'vitest'
import { asSessionId, asStorageKey, type ScopeId } from '../../src/kernel/ids.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { LosingWorld } from '../support/losing-world.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const retire = (world: World, id: ScopeId = scopeId) => world.harness.retireScope({ scopeId: id }, caller)
const retired = { status: 'CANCELLED', error: { code: 'ABORTED', message: 'The scope was retired.', source: 'harness' } }
const ends = (commits: readonly Commit[]): boolean =>
  commits.some(({ events }) => events.some(({ body }) => body.type === 'run.finished'))
const cancels = (commits: readonly Commit[]): boolean =>
  commits.some(({ events }) => events.some(({ body }) => body.type === 'prompt.finished' && body.runId === null))

test('S53: retiring cancels what waits and what runs, also where the model ignores it, and keeps the data', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 2 } })
  for (const id of ['s', 'quiet', 'busy', 'waits']) await world.session(id)
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  await world.prompt('runs', { sessionId: asSessionId('busy') })
  const inLine = await world.prompt('waits for a slot', { sessionId: asSessionId('waits') })
  world.models.last.start().delta('half')
  await world.clock.settle()
  const answer = ok(await retire(world))
  expect(answer).toMatchObject({ scopeId, storageKey: scopeId, lifecycle: 'retired' })
  await expectSettled(world, entries)
  await expectSettled(world, [inLine], 'waits')
  expect((await world.runs()).map(({ state }) => state)).toMatchObject([{ outcome: retired }])
  expect((await world.entries()).map(({ state }) => state)).toMatchObject([retired, retired])
  expect((await world.conversation('busy'))[1]?.parts).toEqual([{ kind: 'text', status: 'CANCELLED', text: 'half' }])
  expect(world.models.calls.map(({ wasReturned }) => wasReturned)).toEqual([true, true])
  expect((await world.types()).filter((type) => type.startsWith('scope.'))).toEqual([])
})

test('S53: the next use of a retired scope begins afresh, with all slots free', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 1 } })
  await world.session()
  await world.prompt('runs')
  ok(await retire(world))
  expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('active')
  const entry = await world.prompt('again')
  world.models.last.answer('ok')
  await world.clock.settle()
  await expectSettled(world, [entry])
  ok(await retire(world))
  await world.session('another')
})

test('S53: a run that is already ending completes', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  const gate = Promise.withResolvers<void>()
  losing.onCommit = (group) => {
    if (ends(group)) losing.gate = gate.promise
    return undefined
  }
  world.models.last.answer('done')
  await world.clock.settle()
  const retiring = retire(world)
  await world.clock.settle()
  losing.gate = undefined
  gate.resolve()
  ok(await retiring)
  await expectSettled(world, [entry])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

test('S53: a run that nobody here executes is ended as well', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const [here, elsewhere] = [await World.started({ stores, clock }), await World.started({ stores, clock })]
  await elsewhere.session()
  const entry = await elsewhere.prompt('runs')
  ok(await retire(here))
  expect((await here.runs())[0]?.state).toMatchObject({ outcome: retired })
  elsewhere.models.last.answer('too late')
  await clock.settle()
  await expectSettled(here, [entry])
})

test('S53: a scope with many sessions is emptied whole', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 3 } })
  const ids = Array.from({ length: 230 }, (_, i) => `s${i}`)
  for (const id of ids) {
    await world.session(id)
    await world.prompt('hello', { sessionId: asSessionId(id) })
  }
  ok(await retire(world))
  const { scopeKey } = await world.load('s0')
  expect(await world.stores.sessions.count(scopeKey, { status: 'BUSY' }, 1)).toBe(0)
  expect((await world.types()).filter((type) => type === 'prompt.finished')).toHaveLength(ids.length)
})

test('S53: where nothing is stored nothing has to be retired', async () => {
  const world = await World.started()
  expect(ok(await retire(world))).toMatchObject({ scope: undefined, lifecycle: 'retired' })
  expect(await world.stores.scopes.find(asStorageKey(scopeId))).toBeUndefined()
  expect(refusal(await retire(world, '' as ScopeId))).toBe('VALIDATION_FAILED')
  const nobody = await World.started({ resolver: { resolve: async () => undefined } })
  expect(refusal(await retire(nobody))).toBe('NOT_FOUND')
})

test('S54: work that arrives during a retirement is refused, and reading goes on', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  const retiring = retire(world)
  await world.clock.settle()
  expect(await losing.lifecycle()).toBe('retiring')
  expect(world.harness.isHealthy).toBe(true)
  const create = world.harness.createSession({ scopeId, sessionId: asSessionId('new') }, caller)
  const abort = world.harness.abortRun({ scopeId, sessionId: asSessionId('s') }, caller)
  expect([
    refusal(await create),
    refusal(await abort),
    refusal(await world.enqueue('more')),
    refusal(await world.cancel(entry.queueId)),
  ]).toEqual(Array(4).fill('SCOPE_RETIRED'))
  expect((await world.entries())[0]?.state.kind).toBe('running')
  losing.gate = undefined
  gate.resolve()
  ok(await retiring)
  expect(await world.entries()).toHaveLength(1)
})

/** Stores in which looking for what a client asked before takes as long as the gate says. */
function slowStores(inner: Stores, gate: Promise<void>): Stores {
  const { requests } = inner
  const find: typeof requests.find = async (...call) => {
    await gate
    return requests.find(...call)
  }
  return { ...inner, requests: { ...requests, find, forget: (...call) => requests.forget(...call) } }
}

test('S54: what was under way when the retirement began is refused when it comes to it, even after its end', async () => {
  const clock = virtualClock()
  const inner = memoryStores({ clock })
  const gate = Promise.withResolvers<void>()
  const world = await World.started({ stores: slowStores(inner, gate.promise), clock })
  await world.session()
  const enqueuing = world.enqueue('under way', { clientRequestId: 'one' })
  const creating = world.harness.createSession({ scopeId, clientRequestId: 'two' }, caller)
  await clock.settle()
  ok(await retire(world))
  expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('active')
  gate.resolve()
  expect([refusal(await enqueuing), refusal(await creating)]).toEqual(['SCOPE_RETIRED', 'SCOPE_RETIRED'])
  expect(await world.types()).toEqual(['session.created'])
  ok(await world.enqueue('under way', { clientRequestId: 'one' }))
})

test('S54: what had been sent to the store when the retirement began is acknowledged, and then cancelled', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  const enqueuing = world.enqueue('sent')
  await world.clock.settle()
  let isRetired = false
  const retiring = retire(world).finally(() => {
    isRetired = true
  })
  await world.clock.settle()
  expect(isRetired).toBe(false)
  losing.gate = undefined
  gate.resolve()
  const entry = ok(await enqueuing)
  ok(await retiring)
  await expectSettled(world, [entry])
  expect((await world.entries())[0]?.state).toMatchObject(retired)
})

test('S54: a prompt whose turn comes during the retirement is not run, and its slot is free', async () => {
  const resolving = { gate: undefined as Promise<void> | undefined }
  const resolver = {
    resolve: async (id: string, principal: string | null) => {
      if (principal === null) await resolving.gate
      return { storageKey: asStorageKey(id), context: undefined }
    },
  }
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const first = await World.started({ stores, clock, resolver })
  await first.session()
  await first.prompt('runs')
  const waiting = await first.prompt('waits')
  const closing = first.harness.close({ graceMs: 0 })
  await clock.advance(10)
  await closing

  const gate = Promise.withResolvers<void>()
  resolving.gate = gate.promise
  const world = await World.started({ stores, clock, resolver, limits: { maxConcurrentRuns: 1 } })
  await clock.settle()
  ok(await retire(world))
  gate.resolve()
  await clock.settle()
  await expectSettled(world, [waiting])
  expect(world.models.requests).toEqual([])
  const entry = await world.prompt('after')
  world.models.last.answer('ok')
  await clock.settle()
  await expectSettled(world, [entry])
})

test('S55: retirements under any name at the same time are one', async () => {
  const resolver = { resolve: async () => ({ storageKey: asStorageKey(scopeId), context: undefined }) }
  const world = await World.started({ resolver })
  await world.session()
  const entry = await world.prompt('runs')
  const names = ['a', 'b', 'a'] as ScopeId[]
  const answers = await Promise.all(names.map((id) => retire(world, id)))
  expect(answers.map((answer) => ok(answer).scopeId)).toEqual(names)
  await expectSettled(world, [entry])
  expect(world.lines.filter(({ message }) => message === 'a scope was retired')).toHaveLength(1)
})

test('S55: a retirement that failed leaves the scope refusing work, and calling again goes on', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.onCommit = () => ({ failure: 'notCommitted', side: 'before' })
  const failing = retire(world).then(
    () => 'retired',
    (error: unknown) => error,
  )
  await world.clock.advance(60_000)
  expect(await failing).toMatchObject({ name: 'StoreFailure', failure: 'notCommitted' })
  expect(await losing.lifecycle()).toBe('retiring')
  expect(refusal(await world.enqueue('more'))).toBe('SCOPE_RETIRED')
  losing.onCommit = undefined
  ok(await retire(world))
  await expectSettled(world, entries)
  expect(await losing.lifecycle()).toBe('active')
})

test('S56: a retirement during a fence waits until that is lifted, and nothing starts in between', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.loseNext('before')
  world.models.last.answer('lost')
  await losing.untilFenced()
  const retiring = retire(world)
  await world.clock.advance(1_000)
  expect([await losing.lifecycle(), world.harness.isHealthy]).toEqual(['retiring', false])
  expect(refusal(await world.enqueue('more'))).toBe('SCOPE_RETIRED')
  await losing.heal()
  ok(await retiring)
  await expectSettled(world, entries)
  const types = await world.types()
  expect(types.slice(types.indexOf('scope.fenced'))).toEqual(['scope.fenced', 'scope.restored', 'prompt.finished'])
  expect(world.models.calls).toHaveLength(1)
})

test('S56: a retirement whose fence stays says so, has cancelled nothing, and goes on when called again', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.loseNext('after')
  world.models.last.answer('lost')
  await losing.untilFenced()
  const retiring = retire(world)
  await world.clock.advance(40_000)
  expect(refusal(await retiring)).toBe('SCOPE_FENCED')
  const waiting = async () => (await world.entries()).filter(({ state }) => state.kind === 'queued').length
  expect(await waiting()).toBe(1)
  await losing.heal()
  expect([await losing.lifecycle(), await waiting()]).toEqual(['retiring', 1])
  ok(await retire(world))
  await expectSettled(world, entries)
})

test.each(['before', 'after'] as const)(
  'S56: a fence that is raised by a retirement that lost a commit %s it was stored joins it',
  async (side) => {
    const losing = await LosingWorld.started()
    const { world } = losing
    for (const id of ['s', 'other']) await world.session(id)
    const entries = [await world.prompt('runs'), await world.prompt('waits')]
    await world.prompt('runs too', { sessionId: asSessionId('other') })
    losing.onCommit = (group) => {
      if (!cancels(group)) return undefined
      losing.isMute = true
      losing.onCommit = undefined
      return { failure: 'uncertain', side }
    }
    const retiring = retire(world)
    await losing.untilFenced()
    expect([await losing.lifecycle(), world.harness.isHealthy]).toEqual(['retiring', false])
    await losing.heal()
    ok(await retiring)
    await expectSettled(world, entries)
    await expectSettled(world, [], 'other')
    expect((await world.types()).filter((type) => type.startsWith('scope.'))).toEqual(['scope.fenced', 'scope.restored'])
  },
)

test('S56: a retirement that fails because of the fence that it raised reports both', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  losing.loseNext('before')
  const failing = retire(world).then(
    () => 'retired',
    (error: unknown) => error,
  )
  await world.clock.advance(120_000)
  const errors = [{ name: 'StoreFailure' }, { name: 'StoreFailure' }]
  expect(await failing).toMatchObject({ name: 'AggregateError', message: 'The scope could not be retired.', errors })
  await losing.heal()
  ok(await retire(world))
  await expectSettled(world, [entry])
})
