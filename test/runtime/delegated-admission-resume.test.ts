import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { childId, delegated, endOf } from '../support/admitted-delegation.ts'
import { delegating, endsOf, expectTreeSettled, type WorldOptions } from '../support/delegating.ts'
import { ManualAdmission } from '../support/manual-admission.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const policies = [{ tool: '*', effect: 'allow' }] as const

/** A first process that dies while its child is at work, and what the next one needs. */
async function died() {
  const clock = virtualClock()
  const stored = memoryStores({ clock })
  const { stores, kill } = mortalStores(stored)
  const before = new ManualAdmission()
  before.onAcquire = (asked) => asked.admit()
  const first = await delegating({ clock, stores, delegatedRunAdmission: before })
  await delegated(first, { hang: 'first' })
  const child = await childId(first)
  kill()
  const admission = new ManualAdmission()
  const next = async (options: WorldOptions = {}) => {
    const world = new World({
      clock,
      stores: stored,
      policies,
      subagents: agents,
      recovery: 'RESUME',
      delegatedRunAdmission: admission,
      ...options,
    })
    followScripts(world.models)
    await world.harness.start()
    await clock.settle()
    return world
  }
  return { clock, before, admission, child, next }
}

test('G89: a run that is resumed asks again with the same description before it does anything, and then goes on', async () => {
  const { clock, before, admission, child, next } = await died()
  const world = await next()
  const [{ signal: _, ...then }, { signal: __, ...now }] = [before.last.run, admission.last.run]
  expect(now).toEqual(then)
  expect(await world.runs(child)).toMatchObject([{ attempts: 2 }])
  expect(world.models.requests).toHaveLength(1)
  admission.last.admit()
  await clock.settle()
  expect(world.models.requests.map(({ agent }) => agent)).toEqual([null, 'researcher'])
  admission.onClose = async () => {}
  world.models.last.answer('found')
  await clock.settle()
  expect([await endOf(world, child), await endOf(world, 's')]).toEqual(['COMPLETED', 'COMPLETED'])
  expect([admission.asked.length, admission.last.closed, before.last.closes.length]).toEqual([1, 1, 0])
  await expectTreeSettled(world)
})

test('G89: a run that is refused when it is resumed fails, and so does the call that waits for it', async () => {
  const { clock, admission, child, next } = await died()
  const world = await next()
  admission.last.refuse()
  await clock.settle()
  expect(await endOf(world, child)).toBe('FAILED ADMISSION_FAILED delegatedRunAdmission')
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_FAILED' } }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect(world.models.requests.map(({ agent }) => agent)).toEqual([null])
  await expectTreeSettled(world)
})

test('G89: a run that is aborted while it asks again is cancelled at once, and the late lease is closed', async () => {
  const { clock, admission, child, next } = await died()
  const world = await next()
  await world.abort()
  expect(await endOf(world, child)).toBe('CANCELLED ABORTED harness')
  admission.onClose = async () => {}
  admission.last.admit()
  await clock.settle()
  expect(admission.last.closed).toBe(1)
  await expectTreeSettled(world)
})

test('G89: a fence over a run that asks again does not wait for the answer', async () => {
  const { clock, admission, child, next } = await died()
  const world = await next()
  ok(await world.harness.fenceScope({ scopeId, reason: 'To be sure.' }, caller))
  await clock.advance(20_000)
  expect(world.harness.isHealthy).toBe(true)
  expect(await endOf(world, child)).toMatch(/^FAILED INTERRUPTED|^CANCELLED/)
  admission.onClose = async () => {}
  admission.last.admit()
  await clock.settle()
  expect(admission.last.closed).toBe(1)
  await expectTreeSettled(world)
})

test('G89: a process that stops while a run asks again leaves it to the next one', async () => {
  const { clock, admission, child, next } = await died()
  const world = await next()
  admission.onClose = async () => {}
  const closed = world.harness.close({ graceMs: 0 })
  await clock.advance(0)
  admission.last.admit()
  await closed
  expect([admission.last.closed, await endOf(world, child)]).toEqual([1, 'running'])
  const third = await next()
  admission.last.admit()
  await clock.settle()
  third.models.last.answer('found')
  await clock.settle()
  expect(await endsOf(third, child)).toEqual(['COMPLETED'])
  expect(admission.asked.map((asked) => asked.closed)).toEqual([1, 1])
  await expectTreeSettled(third)
})

test('G89: under FAIL nobody is asked for a run that has to be ended', async () => {
  const { admission, child, next } = await died()
  const world = await next({ recovery: 'FAIL' })
  expect(admission.asked).toHaveLength(0)
  expect(await endOf(world, child)).toBe('FAILED INTERRUPTED harness')
  await expectTreeSettled(world)
})

/** Two processes, of which the first can be made to look dead to the other. */
async function pair() {
  const clock = virtualClock()
  const shared = memoryStores({ clock, isShared: true })
  const { instances } = shared
  if (!instances) throw new Error('These stores are not shared.')
  const [mine, theirs] = [new ManualAdmission(), new ManualAdmission()]
  let isDeaf = false
  const renew: typeof instances.renew = async (...args) => {
    if (isDeaf) throw new Error('no connection')
    return instances.renew(...args)
  }
  const leases = { ttlMs: 3_000, takeOverMs: 1_000, lookMs: 20_000 }
  const stores = { ...shared, instances: { ...instances, renew } }
  const first = await delegating({ clock, leases, delegatedRunAdmission: mine, stores })
  const options = { clock, leases, policies, subagents: agents, recovery: 'RESUME' } as const
  const second = await World.started({ ...options, stores: shared, delegatedRunAdmission: theirs })
  followScripts(second.models)
  const deafen = () => {
    isDeaf = true
  }
  return { clock, first, second, mine, theirs, deafen }
}

test('G89: a run that was taken over elsewhere closes its lease in the process that lost it', async () => {
  const { clock, first, second, mine, theirs, deafen } = await pair()
  for (const admission of [mine, theirs]) {
    admission.onAcquire = (asked) => asked.admit()
    admission.onClose = async () => {}
  }
  await delegated(first, { hang: 'first' })
  const child = await childId(first)
  deafen()
  await clock.advance(10_000)
  expect([mine.last.closes.length, theirs.asked.length]).toEqual([0, 1])
  await clock.advance(20_000)
  expect([mine.last.closed, theirs.last.closes.length]).toEqual([1, 0])
  second.models.last.answer('found')
  await clock.settle()
  expect(await endOf(second, child)).toBe('COMPLETED')
  expect([mine.last.closes.length, theirs.last.closed]).toEqual([1, 1])
})

test('G89: a process that lost a call whose run it asks for asks no longer; the other process does', async () => {
  const { clock, first, second, mine, theirs, deafen } = await pair()
  await delegated(first, { say: 'found' })
  const child = await childId(first)
  deafen()
  await clock.advance(30_000)
  expect(mine.last.run.signal.aborted).toBe(true)
  mine.onClose = async () => {}
  mine.last.admit()
  await clock.settle()
  expect([mine.last.closed, await endOf(second, child)]).toEqual([1, 'queued'])
  theirs.onClose = async () => {}
  theirs.last.admit()
  await clock.settle()
  expect([theirs.last.closed, await endOf(second, child), await endOf(second, 's')]).toEqual([1, 'COMPLETED', 'COMPLETED'])
  expect([mine.asked.length, theirs.asked.length]).toEqual([1, 1])
  await expectTreeSettled(second)
})
