import { expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { admitting, childId, delegated, endOf } from '../support/admitted-delegation.ts'
import { childrenOf, endsOf, say } from '../support/delegating.ts'
import { caller, ok, refusal, scopeId, type World } from '../support/world.ts'

const limits = { abortDeadlineMs: 1_000 }
const NOT_YET = /could not be erased yet/

const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

test('G90: a deletion stops a run that asks, waits for the late lease, and erases nothing before it is closed', async () => {
  const { world, admission } = await admitting({ limits })
  await delegated(world, say('never'))
  const { key } = await world.load(await childId(world))
  const deletion = remove(world)
  await world.clock.settle()
  expect(admission.last.run.signal.aborted).toBe(true)
  admission.last.admit()
  await world.clock.settle()
  expect((await world.stores.queue.views([key], 10)).get(key)).toHaveLength(1)
  admission.last.closes[0]?.resolve()
  expect(ok(await deletion)).toHaveLength(2)
  expect((await world.stores.queue.views([key], 10)).get(key) ?? []).toHaveLength(0)
  expect(admission.last.closes).toHaveLength(1)
})

test('G90: a lease that does not come, or cannot be closed, keeps the tombstones; deleting again goes on', async () => {
  const { world, admission } = await admitting({ limits })
  await delegated(world, say('never'))
  const first = Promise.allSettled([remove(world)])
  await world.clock.advance(1_000)
  expect(await first).toMatchObject([{ reason: { message: expect.stringMatching(NOT_YET) as string } }])
  admission.onClose = () => Promise.reject(new Error('busy'))
  admission.last.admit()
  await world.clock.settle()
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  admission.onClose = async () => {}
  expect(ok(await remove(world))).toHaveLength(2)
  expect(refusal(await remove(world))).toBe('NOT_FOUND')
  expect(admission.last.closed).toBe(1)
})

test('G90: a deletion closes the lease of a run at work once', async () => {
  const { world, admission } = await admitting({ limits })
  admission.onAcquire = (asked) => asked.admit()
  admission.onClose = async () => {}
  await delegated(world, { hang: 'first' })
  expect(ok(await remove(world))).toHaveLength(2)
  expect([admission.last.run.signal.aborted, admission.last.closes.length]).toEqual([true, 1])
})

test('G90: a deletion tries again to close what an earlier run has left, of its own sessions and of no others', async () => {
  const { world, admission } = await admitting({ limits })
  admission.onAcquire = (asked) => asked.admit()
  admission.onClose = () => Promise.reject(new Error('busy'))
  await delegated(world, say('found'))
  const first = await childId(world)
  expect(await endOf(world, first)).toBe('FAILED ADMISSION_FAILED delegatedRunAdmission')
  await delegated(world, say('found'))
  const closes = () => admission.asked.map((asked) => asked.closes.length)
  expect(closes()).toEqual([1, 1])
  admission.onClose = async () => {}
  ok(await remove(world, first))
  expect(closes()).toEqual([2, 1])
  ok(await remove(world))
  expect(closes()).toEqual([2, 2])
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 1])
})

test('G90: a child that is deleted while its run asks fails the call of its parent, which goes on', async () => {
  const { world, admission } = await admitting({ limits })
  await delegated(world, say('never'))
  const deletion = remove(world, await childId(world))
  await world.clock.settle()
  expect(admission.last.run.signal.aborted).toBe(true)
  admission.onClose = async () => {}
  admission.last.admit()
  ok(await deletion)
  await world.clock.settle()
  expect(admission.last.closed).toBe(1)
  expect(await childrenOf(world)).toEqual([])
  expect(await world.calls()).toMatchObject([{ status: 'FAILED' }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect((await world.load()).work.kind).toBe('idle')
})
