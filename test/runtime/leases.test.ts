import { expect, test } from 'vitest'
import type { InstanceStore } from '../../src/ports/stores/instances.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { asSessionId, type SessionKey } from '../../src/kernel/ids.ts'
import { expectSettled } from '../support/laws.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const ttlMs = 10_000

/** Servers that share stores and a clock. None of them hears what others have abandoned before `heard`. */
function cluster(heard = Promise.resolve()) {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const join = async (limits: Partial<Limits> = {}) => {
    const { stores: own, kill } = mortalStores(stores)
    const instances = own.instances && heardLater(own.instances, heard)
    const world = new World({ clock, stores: { ...own, instances }, recovery: 'RESUME', leases: { ttlMs }, limits })
    world.tools.add('burn')
    await world.harness.start()
    return { world, kill }
  }
  return { clock, join }
}

const heardLater = (instances: InstanceStore, heard: Promise<void>): InstanceStore => ({
  renew: (...lease) => instances.renew(...lease),
  leave: (owner) => instances.leave(owner),
  versions: (keys) => instances.versions(keys),
  isHeld: (query) => instances.isHeld(query),
  async abandoned(query) {
    const page = await instances.abandoned(query)
    if (page.length > 0) await heard
    return page
  },
})

test('R70: the run of a process that died is taken over when its lease is over, and not before', async () => {
  const { clock, join } = cluster()
  const { world: first, kill } = await join()
  const { world: second } = await join()
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.start().delta('So far')
  await clock.advance(60_000)
  expect(second.models.calls).toHaveLength(0)
  kill()
  await clock.advance(ttlMs - 4_000)
  expect(second.models.calls).toHaveLength(0)
  await clock.advance(6_500)
  expect((await second.runs())[0]).toMatchObject({ attempts: 2, epoch: 2 })
  second.models.last.answer('The end.')
  await clock.settle()
  await expectSettled(second, [entry])
})

test('R70: prompts that wait in a process that died run elsewhere', async () => {
  const { clock, join } = cluster()
  const { world: first, kill } = await join()
  const { world: second } = await join()
  await first.session()
  const entries = [await first.prompt('one'), await first.prompt('two')]
  kill()
  await clock.advance(2 * ttlMs)
  second.models.last.answer('One.')
  await clock.settle()
  second.models.last.answer('Two.')
  await clock.settle()
  await expectSettled(second, entries)
})

test('R71: an abort, an answer and a prompt may come through any process', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join()
  const { world: second } = await join()
  await first.session()
  const entries = [await first.prompt('go')]
  first.models.last.calls('burn', {}).finish('continue')
  await clock.settle()
  await second.respond('ONCE')
  expect(first.tools.executions).toHaveLength(0)
  await clock.advance(1_500)
  expect(first.tools.executions).toHaveLength(1)
  entries.push(ok(await second.enqueue('and then?')))
  first.tools.last.answer('burnt')
  await clock.settle()
  expect(await second.abort()).not.toBeNull()
  await clock.advance(1_500)
  first.models.last.answer('Then this.')
  await clock.settle()
  expect((await second.entries()).map(({ state }) => (state.kind === 'finished' ? state.status : state.kind)).toSorted()).toEqual([
    'CANCELLED',
    'COMPLETED',
  ])
  expect(second.models.calls).toHaveLength(0)
  await expectSettled(second, entries)
})

test('R71: a reconciliation may come through any process', async () => {
  const { clock, join } = cluster()
  const { world: first, kill } = await join()
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('burn', {}).finish('continue')
  await clock.settle()
  await first.respond('ONCE')
  kill()
  const { world: second } = await join()
  const { world: third } = await join()
  await clock.advance(2 * ttlMs)
  const [execution] = await third.stores.executions.uncertain([(await third.load()).key], 10)
  const found = { outcome: 'SUCCEEDED', output: 'burnt' } as const
  ok(await third.harness.reconcileToolExecution({ scopeId, intentId: execution!.intentId, found }, caller))
  await clock.advance(1_500)
  const owner = [second, third].find(({ models }) => models.calls.length > 0)
  owner?.models.last.answer('Done.')
  await clock.settle()
  await expectSettled(third, [entry])
})

test('R72: a process that was thought dead and comes back writes nothing of the run, and stops executing it', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const { instances } = stores
  if (!instances) throw new Error('The stores are not shared.')
  let isFrozen = false
  const renew: typeof instances.renew = async (...lease) => {
    if (!isFrozen) await instances.renew(...lease)
  }
  const versions: typeof instances.versions = async (keys) => (isFrozen ? [] : instances.versions(keys))
  const options = { clock, recovery: 'RESUME', leases: { ttlMs } } as const
  const first = await World.started({ ...options, stores: { ...stores, instances: { ...instances, renew, versions } } })
  const second = await World.started({ ...options, stores })
  await first.session()
  const entry = await first.prompt('go')
  const zombie = first.models.last.start().delta('So far')
  await clock.advance(1_000)
  isFrozen = true
  await clock.advance(2 * ttlMs)
  expect((await second.runs())[0]).toMatchObject({ epoch: 2 })
  isFrozen = false
  zombie.delta(' and more').end().finish()
  await clock.advance(2_000)
  expect((await second.load()).work.kind).toBe('running')
  second.models.last.answer('The end.')
  await clock.settle()
  expect((await second.conversation())[1]?.parts.at(-1)).toMatchObject({ text: 'The end.' })
  await expectSettled(second, [entry])
})

test('R73: what a process leaves when it stops is taken over at once', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join()
  const { world: second } = await join()
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('burn', {}).finish('continue')
  await clock.settle()
  await first.harness.close()
  await clock.advance(2_100)
  expect((await second.runs())[0]).toMatchObject({ attempts: 2 })
  await second.respond('ONCE')
  second.tools.last.answer('burnt')
  await clock.settle()
  second.models.last.answer('Done.')
  await clock.settle()
  await expectSettled(second, [entry])
})

test('R74: several processes that find a run abandoned at the same time resume it once', async () => {
  const { promise: heard, resolve: tell } = Promise.withResolvers<void>()
  const { clock, join } = cluster(heard)
  const { world: first, kill } = await join()
  const others = [(await join()).world, (await join()).world, (await join()).world]
  await first.session()
  const entry = await first.prompt('go')
  kill()
  await clock.advance(2 * ttlMs)
  tell()
  await clock.advance(ttlMs)
  const calls = others.flatMap(({ models }) => models.calls)
  expect(calls).toHaveLength(1)
  const [watcher] = others
  expect((await watcher!.runs())[0]).toMatchObject({ attempts: 2, epoch: 2 })
  calls[0]?.answer('The end.')
  await clock.settle()
  await expectSettled(watcher!, [entry])
})

test('R75: an answer through another process is heard although the process of the run changes the session meanwhile', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join()
  const { world: second } = await join()
  first.tools.add('look', { readOnly: true })
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('burn', {}, 'a').calls('look', {}, 'b').finish('continue')
  await clock.settle()
  await second.respond('ONCE')
  first.tools.executions[0]?.answer('seen')
  await clock.settle()
  expect(await second.calls()).toMatchObject([{ status: 'PENDING' }, { status: 'COMPLETED' }])
  await clock.advance(1_500)
  expect(await second.calls()).toMatchObject([{ status: 'RUNNING' }, { status: 'COMPLETED' }])
  first.tools.last.answer('burnt')
  await clock.settle()
  first.models.last.answer('Done.')
  await clock.settle()
  await expectSettled(second, [entry])
})

test('R76: a process that stops takes nothing over, and what comes too late to stop in time is left to the next one', async () => {
  const { clock, join } = cluster()
  const { world: first, kill } = await join()
  const { world: second } = await join()
  await first.session()
  await first.session('other')
  const entry = await first.prompt('go')
  await second.enqueue('go', { sessionId: asSessionId('other') })
  await clock.settle()
  kill()
  const closed = second.harness.close({ graceMs: 2 * ttlMs })
  await clock.advance(4 * ttlMs)
  await closed
  const { world: third } = await join()
  await clock.advance(1)
  for (const id of ['s', 'other']) expect((await third.runs(id))[0]).toMatchObject({ attempts: 2 })
  for (const call of third.models.calls) call.answer('The end.')
  await clock.settle()
  await expectSettled(third, [entry])
})

test('R82: a fence in one process does not end the runs of another', async () => {
  const { clock, join } = cluster()
  const { world: first } = await join()
  const { world: second } = await join()
  await first.session()
  const entry = await first.prompt('go')
  ok(await second.harness.fenceScope({ scopeId, reason: 'In doubt.' }, caller))
  await clock.advance(2_000)
  expect((await second.types()).slice(-2)).toEqual(['scope.fenced', 'scope.restored'])
  first.models.last.answer('The end.')
  await clock.settle()
  expect((await second.entries())[0]?.state).toMatchObject({ status: 'COMPLETED' })
  await expectSettled(second, [entry])
})

test('R83: a call is not executed when its run was taken over between its intent and that', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const { instances, unit } = stores
  if (!instances) throw new Error('The stores are not shared.')
  let isSuspended = false
  const renew: typeof instances.renew = async (...lease) => {
    if (!isSuspended) await instances.renew(...lease)
  }
  const versions: typeof instances.versions = async (keys) => (isSuspended ? [] : instances.versions(keys))
  /** It hears that an intent is durable when others have long taken it for dead. */
  const commit: typeof unit.commit = async (writeId, group) => {
    const committed = await unit.commit(writeId, group)
    isSuspended ||= group.some(({ rows }) => rows.some((row) => row.table === 'log' && row.row.body.kind === 'intent'))
    if (isSuspended) await clock.sleep(14_000)
    return committed
  }
  const options = { clock, recovery: 'RESUME', leases: { ttlMs }, policies: [{ tool: '*', effect: 'allow' }] } as const
  const suspendable = {
    ...stores,
    instances: { ...instances, renew, versions },
    unit: { commit, outcomeOf: unit.outcomeOf.bind(unit), forget: unit.forget.bind(unit) },
  }
  const first = await World.started({ ...options, stores: suspendable })
  const second = await World.started({ ...options, stores })
  for (const { tools } of [first, second]) tools.add('burn')
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('burn', {}).finish('continue')
  await clock.advance(20_000)
  expect(await second.calls()).toMatchObject([{ status: 'UNCERTAIN' }])
  expect([...first.tools.executions, ...second.tools.executions]).toEqual([])
  await second.abort()
  await expectSettled(second, [entry])
})

test('R84: a run is taken over although prompts of its session stood in line before it began', async () => {
  const { clock, join } = cluster()
  const { world: second } = await join({ maxConcurrentRuns: 1 })
  await second.session('other')
  await second.enqueue('go', { sessionId: asSessionId('other') })
  await second.session()
  const entry = await second.prompt('go')
  const { world: first, kill } = await join()
  await clock.settle()
  expect(first.models.calls).toHaveLength(1)
  kill()
  await clock.advance(2 * ttlMs)
  expect((await second.runs())[0]).toMatchObject({ attempts: 2 })
  second.models.calls[0]?.answer('One.')
  await clock.settle()
  second.models.last.answer('Two.')
  await clock.settle()
  await expectSettled(second, [entry])
})

test('R86: a session that cannot be looked at does not keep the process from looking at others', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  let broken: SessionKey | undefined
  const outstanding: typeof stores.queue.outstanding = async (key) => {
    if (key === broken) throw new Error('It cannot be read.')
    return stores.queue.outstanding(key)
  }
  const options = { clock, recovery: 'RESUME', leases: { ttlMs } } as const
  const first = await World.started({ ...options, stores: { ...stores, queue: { ...stores.queue, outstanding } } })
  const second = await World.started({ ...options, stores })
  const ids = ['s', 'other'].map((id) => asSessionId(id))
  for (const sessionId of ids) {
    await first.session(sessionId)
    await first.enqueue('go', { sessionId })
  }
  await clock.settle()
  for (const sessionId of ids) ok(await second.harness.abortRun({ scopeId, sessionId }, caller))
  broken = (await second.load('s')).key
  await clock.advance(1_500)
  expect((await second.load('other')).work.kind).toBe('idle')
  expect(first.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'a session could not be looked at' }))
  broken = undefined
  await clock.advance(1_500)
  expect((await second.load('s')).work.kind).toBe('idle')
})
