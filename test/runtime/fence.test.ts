import { expect, test } from 'vitest'
import { asQueueId, asSessionId, asStorageKey, type ScopeId } from '../../src/kernel/ids.ts'
import type { Answer } from '../../src/kernel/refusal.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { expectSettled } from '../support/laws.ts'
import { LosingWorld } from '../support/losing-world.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const messageOf = (answer: Answer<unknown>): string => (answer.ok ? '' : answer.refusal.message)
const scopeEvents = async (world: World) => (await world.events()).filter(({ sessionId }) => sessionId === null)
const fence = (world: World, reason = 'Somebody doubts it.') => world.harness.fenceScope({ scopeId, reason }, caller)
const sides = ['before', 'after'] as const
const other = 'other' as ScopeId
const NOT_KNOWN = 'It is not known whether an earlier change was stored.'

test('S50: a scope of which a commit was lost takes no work, says why, keeps its queue and can be read', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const running = await world.prompt('runs')
  const waiting = await world.prompt('waits')
  losing.loseNext('before')
  world.models.last.answer('lost')
  await losing.untilFenced()

  const create = () => world.harness.createSession({ scopeId, sessionId: asSessionId('new') }, caller)
  const abort = () => world.harness.abortRun({ scopeId, sessionId: asSessionId('s') }, caller)
  const cancel = () => world.cancel(waiting.queueId)
  for (const work of [create, abort, cancel, () => world.enqueue('more')]) {
    const answer: Answer<unknown> = await work()
    expect(refusal(answer)).toBe('SCOPE_FENCED')
    expect(messageOf(answer)).toContain(NOT_KNOWN)
  }
  expect(refusal(await world.cancel(asQueueId('unknown')))).toBe('SCOPE_FENCED')
  expect([await losing.lifecycle(), world.harness.isHealthy]).toEqual(['fenced', false])
  const kinds = new Map((await world.entries()).map(({ queueId, state }) => [queueId, state.kind]))
  expect([kinds.get(running.queueId), kinds.get(waiting.queueId)]).toEqual(['running', 'queued'])

  await losing.heal()
  expect([await losing.lifecycle(), world.harness.isHealthy]).toEqual(['active', true])
})

test('S50: other scopes go on, also where one committer serves them all', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  await world.prompt('runs')
  losing.loseNext('before')
  world.models.last.answer('lost')
  await losing.untilFenced()
  ok(await world.harness.createSession({ scopeId: other, sessionId: asSessionId('s') }, caller))
  ok(await world.enqueue('elsewhere', { scopeId: other }))
  await world.clock.settle()
  world.models.last.answer('done')
  await world.clock.settle()
  const key = (await world.stores.scopes.page(undefined, 9)).find(({ storageKey }) => storageKey === 'other')?.key
  const session = key && (await world.stores.sessions.find(key, asSessionId('s')))
  expect(session).toMatchObject({ work: { kind: 'idle' }, usage: { totalTokens: 5 } })
  expect(await losing.lifecycle(other)).toBe('active')
})

test('S50: a lost group fences every scope that has a commit in it', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  losing.isMute = true
  losing.onCommit = (group) => (group.length > 1 ? { failure: 'uncertain', side: 'before' } : undefined)
  const scopes = ['a', 'b'] as ScopeId[]
  for (const id of scopes) await world.stores.scopes.ensure(asStorageKey(id), 0)
  const created = scopes.map((id) => world.harness.createSession({ scopeId: id, sessionId: asSessionId('s') }, caller))
  const settled = Promise.allSettled(created)
  await losing.untilFenced()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await Promise.all(scopes.map((id) => losing.lifecycle(id)))).toEqual(['fenced', 'fenced'])
  await losing.heal()
  expect(await Promise.all(scopes.map((id) => losing.lifecycle(id)))).toEqual(['active', 'active'])
})

test.each(sides)(
  'S51, S52: when the end of a run is lost %s it was stored, the run ends once, and the queue goes on',
  async (side) => {
    const losing = await LosingWorld.started()
    const { world } = losing
    await world.session()
    const entries = [await world.prompt('runs'), await world.prompt('waits')]
    world.models.last.start().delta('said')
    await world.clock.advance(1_000)
    losing.loseNext(side)
    world.models.last.end().finish()
    await losing.untilFenced()
    world.models.onCall = (call) => call.answer('next')
    await losing.heal()
    await expectSettled(world, entries)
    const [first, second] = await world.runs()
    expect(second?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
    const message = `The scope was fenced before this run completed. ${NOT_KNOWN}`
    const interrupted = { status: 'FAILED', error: { code: 'INTERRUPTED', message } }
    expect(first?.state).toMatchObject({ outcome: side === 'after' ? { status: 'COMPLETED' } : interrupted })
    expect((await world.conversation())[1]?.parts).toMatchObject([{ text: 'said' }])
  },
)

test.each(sides)('S51: an admission that was lost %s it was stored leaves no run behind', async (side) => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  losing.loseNext(side)
  const enqueuing = world.enqueue('lost').then(
    () => 'answered',
    () => 'unknown',
  )
  await losing.untilFenced()
  expect(await enqueuing).toBe('unknown')
  await losing.heal()
  await expectSettled(world, [])
  expect(await world.entries()).toHaveLength(side === 'after' ? 1 : 0)
  const entry = await world.prompt('another')
  world.models.last.answer('ok')
  await world.clock.settle()
  await expectSettled(world, [entry])
})

test('S51: the log says that a scope was fenced and restored, once and together, whatever is lost of that', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  let losses = 0
  losing.onCommit = (group) => {
    if (!group[0]?.events.some(({ body }) => body.type === 'scope.fenced') || losses === 4) return undefined
    losing.isMute = true
    return { failure: 'uncertain', side: ++losses < 4 ? 'before' : 'after' }
  }
  ok(await fence(world))
  for (let i = 0; i < 4; i++) {
    await world.clock.advance(40_000)
    expect([losses, await losing.lifecycle()]).toEqual([i + 1, 'fenced'])
    losing.isMute = false
  }
  await world.clock.advance(60_000)
  expect(await losing.lifecycle()).toBe('active')
  const since = world.clock.now() - world.clock.monotonic()
  const about = { sessionId: null, generation: null, path: '' }
  expect(await scopeEvents(world)).toMatchObject([
    { ...about, timestamp: since, body: { type: 'scope.fenced', reason: 'Somebody doubts it.' } },
    { ...about, body: { type: 'scope.restored', fencedAt: since } },
  ])
})

test('S51: who fences a scope stops its runs, with the reason, and the queue goes on by itself', async () => {
  const world = await World.started()
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  world.models.last.start().delta('half')
  await world.clock.settle()
  ok(await fence(world))
  expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('fenced')
  expect(refusal(await world.enqueue('more'))).toBe('SCOPE_FENCED')
  await world.clock.settle()
  expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('active')
  const message = 'The scope was fenced before this run completed. Somebody doubts it.'
  const interrupted = { status: 'FAILED', error: { code: 'INTERRUPTED', message } }
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: interrupted })
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'text', status: 'FAILED', text: 'half' }])
  expect(await scopeEvents(world)).toHaveLength(2)
  world.models.last.answer('done')
  await world.clock.settle()
  await expectSettled(world, entries)
})

test('S52: a run that becomes durable while its scope is fenced is stopped like the others', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  const enqueuing = world.enqueue('in flight')
  await world.clock.settle()
  ok(await fence(world))
  gate.resolve()
  losing.gate = undefined
  const entry = ok(await enqueuing)
  await world.clock.settle()
  await expectSettled(world, [entry])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { error: { code: 'INTERRUPTED' } } })
  expect(world.models.calls).toEqual([])
})

test('S51: a prompt that was on its way to the queue when the scope was fenced runs after it', async () => {
  const losing = await LosingWorld.started({ limits: { maxConcurrentRuns: 1 } })
  const { world } = losing
  await world.session()
  ok(await world.harness.createSession({ scopeId: other, sessionId: asSessionId('s') }, caller))
  await world.prompt('takes the slot', { scopeId: other })
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  const enqueuing = world.enqueue('on its way')
  await world.clock.settle()
  ok(await fence(world))
  await world.clock.settle()
  losing.gate = undefined
  gate.resolve()
  const entry = ok(await enqueuing)
  await world.clock.settle()
  expect(await losing.lifecycle()).toBe('active')
  world.models.last.answer('frees the slot')
  await world.clock.settle()
  world.models.last.answer('runs')
  await world.clock.settle()
  await expectSettled(world, [entry])
})

test('S52: a fence is not lifted before the last run of the scope has let go', async () => {
  const gate = Promise.withResolvers<void>()
  const decorate = (stores: Stores): Stores => ({
    ...stores,
    log: {
      read: async (...call) => {
        await gate.promise
        return stores.log.read(...call)
      },
      purge: (...call) => stores.log.purge(...call),
    },
  })
  const losing = await LosingWorld.started({ decorate })
  const { world } = losing
  await world.session()
  const entry = await world.prompt('reads the log')
  ok(await fence(world))
  await world.clock.advance(60_000)
  expect([await losing.lifecycle(), (await world.load()).work.kind]).toEqual(['fenced', 'running'])
  gate.resolve()
  await world.clock.settle()
  expect(await losing.lifecycle()).toBe('active')
  await expectSettled(world, [entry])
})

test('S50: a change that waited behind a lost commit is refused, and nothing of it is stored', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  for (const id of ['s', 'behind']) await world.session(id)
  const gate = Promise.withResolvers<void>()
  losing.gate = gate.promise
  losing.onCommit = () => {
    losing.isMute = true
    losing.onCommit = undefined
    return { failure: 'uncertain', side: 'after' }
  }
  const lost = Promise.allSettled([world.enqueue('lost')])
  await world.clock.settle()
  const behind = world.enqueue('behind', { sessionId: asSessionId('behind') })
  await world.clock.settle()
  gate.resolve()
  await losing.untilFenced()
  expect(await lost).toMatchObject([{ status: 'rejected' }])
  expect(refusal(await behind)).toBe('SCOPE_FENCED')
  await losing.heal()
  expect(await world.entries('behind')).toEqual([])
})

test('S52: a fence that is raised from inside of a run waits for that run, and not the run for the fence', async () => {
  const world = await World.started()
  await world.session()
  const fenced = Promise.withResolvers<unknown>()
  world.models.onResolve = async () => {
    fenced.resolve(await fence(world))
    return new Promise<never>(() => undefined)
  }
  await world.prompt('fences')
  expect(await fenced.promise).toEqual({ ok: true, value: null })
  await world.clock.settle()
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { error: { code: 'INTERRUPTED' } } })
  expect((await world.harness.openScope(scopeId, caller))?.lifecycle).toBe('active')
})

test('S52: several failures are one line for clients and one report for the operator', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  losing.loseNext('before')
  const lost = Promise.allSettled([world.enqueue('lost')])
  await losing.untilFenced()
  await lost
  ok(await fence(world, 'A second reason.'))
  const answer = await world.enqueue('more')
  expect(messageOf(answer)).not.toContain('A second reason.')
  await losing.heal()
  const report = world.lines.find(({ message }) => message === 'a scope is verified and no longer fenced')
  expect(report?.fields['err']).toMatchObject({ errors: [{ name: 'StoreFailure' }, { message: 'A second reason.' }] })
})

test('S51: the record of a lost commit is kept for as long as somebody has to ask for it', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  losing.loseNext('after')
  const lost = Promise.allSettled([world.enqueue('lost')])
  await world.clock.advance(30 * 3_600_000)
  await lost
  await losing.heal()
  expect(await world.entries()).toHaveLength(1)
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { error: { code: 'INTERRUPTED' } } })
  const resolved = world.lines.find(({ message }) => message === 'the fate of a lost commit is known')
  expect(resolved?.fields['outcome']).toBe('committed')
})

test('S50: a fence needs a scope that the caller may use, and a reason that can be shown', async () => {
  const known = { storageKey: asStorageKey('default'), context: null }
  const resolver = { resolve: async (id: string) => (id === 'default' ? known : undefined) }
  const world = await World.started({ resolver })
  expect(refusal(await fence(world, ''))).toBe('VALIDATION_FAILED')
  expect(refusal(await fence(world, 'two\nlines'))).toBe('VALIDATION_FAILED')
  expect(refusal(await world.harness.fenceScope({ scopeId: other, reason: 'x' }, caller))).toBe('NOT_FOUND')
})
