import { expect, test } from 'vitest'
import {
  type Admitting,
  admitting,
  childId,
  delegated,
  endOf,
  expectNothingBegun,
  toldOf,
} from '../support/admitted-delegation.ts'
import { childrenOf, delegating, endsOf, expectTreeSettled, say } from '../support/delegating.ts'
import { ManualAdmission } from '../support/manual-admission.ts'
import { agents } from '../support/scripted-runs.ts'
import { faultyStores } from '../support/faulty-stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const limits = { abortDeadlineMs: 1_000 }
const cancelled = 'CANCELLED ABORTED harness'

/** A root whose child asks to be let in. */
async function asking(): Promise<Admitting & { readonly child: string }> {
  const { world, admission } = await admitting({ limits })
  await delegated(world, say('never'))
  return { world, admission, child: await childId(world) }
}

/** A root whose child was let in and is at work. */
async function working(): Promise<Admitting & { readonly child: string }> {
  const { world, admission } = await admitting({ limits })
  admission.onAcquire = (asked) => asked.admit()
  await delegated(world, { hang: 'first' })
  return { world, admission, child: await childId(world) }
}

const fence = async (world: World) => {
  ok(await world.harness.fenceScope({ scopeId, reason: 'To be sure.' }, caller))
  await world.clock.settle()
}

test('G81: an abort while the application is asked cancels at once; the late lease is closed, and nothing began', async () => {
  const { world, admission, child } = await asking()
  await world.abort()
  expect([await endOf(world, child), await endOf(world, 's')]).toEqual([cancelled, cancelled])
  expect(admission.last.run.signal.aborted).toBe(true)
  await expectNothingBegun(world, child)
  await expectTreeSettled(world)
  admission.onClose = async () => {}
  admission.last.admit()
  await world.clock.settle()
  expect(admission.last.closed).toBe(1)
  expect(await toldOf(world, child)).toEqual(['prompt.queued', 'prompt.finished'])
  await world.harness.close()
  expect(admission.last.closes).toHaveLength(1)
})

test('G81: an application that obeys the abort by refusing has not refused: the prompt is cancelled', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = ({ run: { signal }, answered }) => {
    signal.addEventListener('abort', () => answered.reject(signal.reason as Error))
  }
  await delegated(world, say('never'))
  await world.abort()
  expect(await endOf(world, await childId(world))).toBe(cancelled)
  await expectTreeSettled(world)
})

test('G81: an abort of a child at work closes its lease once, and aborts what the lease was given', async () => {
  const { world, admission, child } = await working()
  admission.onClose = async () => {}
  await world.abort()
  expect([await endOf(world, child), await endOf(world, 's')]).toEqual([cancelled, cancelled])
  expect(admission.last.run.signal.aborted).toBe(true)
  expect(admission.last.closes).toHaveLength(1)
  await expectTreeSettled(world)
})

test('G81: an abort of a child whose lease cannot be closed leaves it cancelled', async () => {
  const { world, admission, child } = await working()
  admission.onClose = () => Promise.reject(new Error('busy'))
  await world.abort()
  expect(await endOf(world, child)).toBe(cancelled)
  await expectTreeSettled(world)
})

test('G87: a prompt whose call is over when the lease has come is cancelled, after the lease is closed; nothing began', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  const admission = new ManualAdmission()
  const world = await delegating({ clock, stores, delegatedRunAdmission: admission })
  const other = await World.started({ clock, stores, recovery: 'RESUME', subagents: agents })
  await delegated(world, say('never'))
  const child = await childId(world)
  // The process that asks has not heard of it yet.
  await other.abort()
  expect(await endOf(world, child)).toBe('queued')
  admission.last.admit()
  await clock.settle()
  expect(await endOf(world, child)).toBe('queued')
  admission.last.closes[0]?.resolve()
  await clock.settle()
  expect(await endOf(world, child)).toBe(cancelled)
  await expectNothingBegun(world, child)
  await clock.advance(2_000)
  expect(await endOf(world, 's')).toBe(cancelled)
  expect(admission.last.closes).toHaveLength(1)
  await expectTreeSettled(world)
})

test('G87: a run that cannot be stored closes its lease, and asks again when it is tried again', async () => {
  const clock = virtualClock()
  let isBroken = false
  const next = () => (isBroken ? ({ failure: 'notCommitted', side: 'before' } as const) : undefined)
  const admission = new ManualAdmission()
  const stores = faultyStores(memoryStores({ clock }), next)
  const world = await delegating({ clock, stores, delegatedRunAdmission: admission })
  admission.onClose = async () => {}
  await delegated(world, say('found'))
  isBroken = true
  admission.last.admit()
  await clock.advance(1_000)
  isBroken = false
  await clock.advance(1_000)
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 0])
  admission.last.admit()
  await clock.settle()
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 1])
  expect(admission.asked[0]?.run.queueId).toBe(admission.asked[1]?.run.queueId)
  expect(await endsOf(world, await childId(world))).toEqual(['COMPLETED'])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  await expectTreeSettled(world)
})

test('G88: a fence stops a run that asks, and is lifted without an answer that does not come', async () => {
  const { world, admission, child } = await asking()
  await fence(world)
  expect(admission.last.run.signal.aborted).toBe(true)
  await world.clock.advance(10_000)
  expect(world.harness.isHealthy).toBe(true)
  expect((await endOf(world, 's')).slice(0, 6)).toBe('FAILED')
  expect(await endOf(world, child)).toMatch(/^(CANCELLED|FAILED)/)
  await expectNothingBegun(world, child)
  admission.onClose = async () => {}
  admission.last.admit()
  await world.clock.settle()
  expect(admission.last.closed).toBe(1)
  await expectTreeSettled(world)
})

test('G88: a fence is lifted only after a lease that came was closed, however often that fails', async () => {
  const { world, admission } = await working()
  admission.onClose = () => Promise.reject(new Error('busy'))
  await fence(world)
  await world.clock.advance(1_000)
  expect(world.harness.isHealthy).toBe(false)
  expect(admission.last.closes.length).toBeGreaterThan(1)
  admission.onClose = async () => {}
  await world.clock.advance(10_000)
  expect([world.harness.isHealthy, admission.last.closed]).toEqual([true, 1])
  await expectTreeSettled(world)
})

test('G88: a retirement stops a run that asks, waits for the late lease, and closes it', async () => {
  const { world, admission, child } = await asking()
  const retired = world.harness.retireScope({ scopeId }, caller)
  await world.clock.settle()
  expect(await endOf(world, child)).toMatch(/^CANCELLED/)
  admission.last.admit()
  await world.clock.settle()
  expect(await Promise.race([retired, world.clock.settle().then(() => 'waits')])).toBe('waits')
  admission.last.closes[0]?.resolve()
  ok(await retired)
  expect(admission.last.closed).toBe(1)
})

test('G88: a retirement reports the lease that does not come, or cannot be closed; calling again goes on', async () => {
  const { world, admission } = await asking()
  const first = Promise.allSettled([world.harness.retireScope({ scopeId }, caller)])
  await world.clock.advance(1_000)
  const cause = { message: 'The lease was asked for and has not come within 1000 ms.' }
  expect(await first).toMatchObject([{ reason: { cause } }])
  admission.onClose = () => Promise.reject(new Error('busy'))
  admission.last.admit()
  await world.clock.settle()
  const second = world.harness.retireScope({ scopeId }, caller)
  await expect(second).rejects.toMatchObject({ cause: { message: 'busy' } })
  admission.onClose = async () => {}
  ok(await world.harness.retireScope({ scopeId }, caller))
  expect(admission.last.closed).toBe(1)
})

test('G88: a retirement tries again to close what an earlier run has left, also when nothing runs', async () => {
  const { world, admission } = await working()
  admission.onClose = () => Promise.reject(new Error('busy'))
  await world.abort()
  await expectTreeSettled(world)
  admission.onClose = async () => {}
  ok(await world.harness.retireScope({ scopeId }, caller))
  expect(admission.last.closed).toBe(1)
})

test('G88: closing the harness asks no longer, leaves the prompt in its queue, and reports a lease that does not come', async () => {
  const { world, admission, child } = await asking()
  const closed = Promise.allSettled([world.harness.close({ graceMs: 0 })])
  await world.clock.advance(1_000)
  expect(await closed).toMatchObject([{ reason: { errors: [{ cause: { name: 'NotThereYet' } }] } }])
  expect(admission.last.run.signal.aborted).toBe(true)
  expect(await endOf(world, child)).toBe('queued')
  admission.onClose = async () => {}
  admission.last.admit()
  await world.harness.close()
  expect([admission.last.closed, admission.asked.length]).toEqual([1, 1])
})

test('G88: closing the harness closes the leases of runs that will be resumed', async () => {
  const { world, admission, child } = await working()
  admission.onClose = async () => {}
  const closed = world.harness.close({ graceMs: 0 })
  await world.clock.advance(1_000)
  await closed
  expect(admission.last.closes).toHaveLength(1)
  expect(await endOf(world, child)).toBe('running')
})

test('G88: what is released belongs to one session: leases of others stay', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  await delegated(world, { hang: 'first' })
  await world.session('other')
  await world.prompt('{"delegate":[{"to":"writer","script":{"hang":"first"}}]}', { sessionId: 'other' as never })
  admission.onClose = async () => {}
  await world.abort()
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 0])
  await world.abortIn('other')
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 1])
  expect(await childrenOf(world, 'other')).toHaveLength(1)
})
