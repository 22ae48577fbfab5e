import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { delegatedRun } from '../../../test/support/delegated-run.ts'
import { ManualAdmission } from '../../../test/support/manual-admission.ts'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { asScopeKey, asSessionKey } from '../../kernel/ids.ts'
import type { DelegatedRunAdmission } from '../../ports/delegated-run-admission.ts'
import { NotThereYet } from '../not-there-yet.ts'
import { Orphans } from '../orphans.ts'
import { acquireLease } from './acquire-lease.ts'

const owner = { scopeKey: asScopeKey(1), sessionKey: asSessionKey(2) }
const DEADLINE_MS = 1_000

function world(admission: DelegatedRunAdmission = new ManualAdmission()) {
  const clock = virtualClock()
  const orphans = new Orphans()
  const errors: unknown[] = []
  const log = { info: () => {}, warn: () => {}, error: ({ err }: { readonly err?: unknown }) => errors.push(err) }
  const controller = new AbortController()
  const deps = { admission, clock, log, orphans, closeDeadlineMs: DEADLINE_MS }
  const acquire = () => acquireLease(deps, owner, delegatedRun(controller.signal))
  return { clock, orphans, errors, controller, acquire }
}

const manual = () => {
  const admission = new ManualAdmission()
  return { admission, ...world(admission) }
}

test('G80: the provider is told of the run, frozen in all its parts', async () => {
  const { admission, acquire, controller } = manual()
  admission.onAcquire = (asked) => asked.admit()
  await acquire()
  const { run } = admission.last
  expect(run).toEqual(delegatedRun(controller.signal))
  const parts = [run, run.generation, run.parent, run.parent.generation, run.origin]
  expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true, true])
})

test('G81: a run that is not wanted any longer asks for nothing', async () => {
  const { admission, acquire, controller, orphans } = manual()
  controller.abort(new Error('stop'))
  await expect(acquire()).rejects.toThrow('stop')
  expect([admission.asked.length, orphans.size]).toEqual([0, 0])
})

test('G81: an abort does not wait for the answer, and a lease that comes late is closed once', async () => {
  const { admission, acquire, controller, orphans, clock } = manual()
  const acquiring = acquire()
  controller.abort(new Error('stop'))
  await expect(acquiring).rejects.toThrow('stop')
  expect(orphans.size).toBe(1)
  admission.last.admit()
  await clock.settle()
  expect(admission.last.closes).toHaveLength(1)
  admission.last.closes[0]?.resolve()
  await clock.settle()
  expect([admission.last.closed, orphans.size, clock.pending]).toEqual([1, 0, 0])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('G81: an answer that comes late and is a refusal leaves nothing', async () => {
  const { admission, acquire, controller, orphans, clock, errors } = manual()
  const acquiring = acquire()
  controller.abort(new Error('stop'))
  await expect(acquiring).rejects.toThrow('stop')
  admission.last.refuse()
  await clock.settle()
  expect([orphans.size, errors]).toEqual([0, []])
})

test('G81: a late lease that cannot be closed is kept and tried again', async () => {
  const { admission, acquire, controller, orphans, clock, errors } = manual()
  const acquiring = acquire()
  controller.abort(new Error('stop'))
  await expect(acquiring).rejects.toThrow('stop')
  admission.last.admit()
  await clock.settle()
  admission.last.closes[0]?.reject(new Error('busy'))
  await clock.settle()
  expect([orphans.size, errors]).toEqual([1, [new Error('busy')]])
  const released = orphans.release(owner)
  await clock.settle()
  admission.last.closes[1]?.resolve()
  expect(await released).toEqual([])
  expect([admission.last.closed, orphans.size]).toEqual([1, 0])
})

test('G81: whoever wants a lease closed that has not come waits for the deadline, is told so, and it is closed when it comes', async () => {
  const { admission, acquire, controller, orphans, clock } = manual()
  const acquiring = acquire()
  controller.abort(new Error('stop'))
  await expect(acquiring).rejects.toThrow('stop')
  const released = orphans.release()
  await clock.advance(DEADLINE_MS)
  const [failure] = await released
  expect(failure?.message).toBe('Could not release the lease of the delegated run r2.')
  expect(failure?.cause).toBeInstanceOf(NotThereYet)
  admission.last.admit()
  await clock.settle()
  admission.last.closes[0]?.resolve()
  await clock.settle()
  expect([admission.last.closed, orphans.size]).toEqual([1, 0])
})

test('G82: a refusal is thrown as it is and leaves nothing to close', async () => {
  const { admission, acquire, orphans, clock } = manual()
  const no = new Error('no')
  admission.onAcquire = (asked) => asked.refuse(no)
  await expect(acquire()).rejects.toBe(no)
  await clock.settle()
  const atOnce = world({
    acquire: () => {
      throw no
    },
  })
  await expect(atOnce.acquire()).rejects.toBe(no)
  await clock.settle()
  expect([orphans.size, atOnce.orphans.size]).toEqual([0, 0])
})

test.for([undefined, null, 7, 'lease', {}, { close: true }, () => undefined])(
  'G82: what is no lease is refused, such as %o',
  async (given) => {
    const { acquire, orphans, clock } = world({ acquire: () => given as never })
    await expect(acquire()).rejects.toThrow('return a lease, which is an object with a function "close"')
    await clock.settle()
    expect(orphans.size).toBe(0)
  },
)

test('G83: those who want a lease closed at the same time share one call, and after it succeeded there is none', async () => {
  const { admission, acquire, orphans, clock } = manual()
  admission.onAcquire = (asked) => asked.admit()
  const lease = await acquire()
  const all = Promise.all([lease.close(), orphans.release(owner), lease.close(), orphans.release()])
  await clock.settle()
  admission.last.closes[0]?.resolve()
  expect(await all).toEqual([undefined, [], undefined, []])
  await lease.close()
  expect(await orphans.release()).toEqual([])
  expect([admission.last.closes.length, admission.last.closed, clock.pending]).toEqual([1, 1, 0])
})

test('G83: a close that fails is told to all who wait for it, and the next one tries again', async () => {
  const { admission, acquire, orphans, clock } = manual()
  admission.onAcquire = (asked) => asked.admit()
  const lease = await acquire()
  const both = Promise.allSettled([lease.close(), orphans.release(owner)])
  await clock.settle()
  admission.last.closes[0]?.reject(new Error('busy'))
  expect(await both).toMatchObject([{ reason: { message: 'busy' } }, { value: [{ cause: { message: 'busy' } }] }])
  const again = lease.close()
  await clock.settle()
  admission.last.closes[1]?.resolve()
  await again
  expect([admission.last.closed, orphans.size]).toEqual([1, 0])
})

test('G83: a close that takes too long fails, is waited for by the next one, and is not called a second time', async () => {
  const { admission, acquire, orphans, clock } = manual()
  admission.onAcquire = (asked) => asked.admit()
  const lease = await acquire()
  const late = Promise.allSettled([lease.close()])
  await clock.advance(DEADLINE_MS)
  expect(await late).toMatchObject([{ reason: { message: `Closing the lease takes more than ${DEADLINE_MS} ms.` } }])
  const again = orphans.release()
  await clock.settle()
  admission.last.closes[0]?.resolve()
  expect(await again).toEqual([])
  expect([admission.last.closes.length, admission.last.closed, orphans.size]).toEqual([1, 1, 0])
})

test('G83: a close that throws at once, or returns nothing to wait for, is like any other', async () => {
  let tries = 0
  const close = () => {
    tries++
    if (tries === 1) throw new Error('at once')
  }
  const { acquire, orphans } = world({ acquire: () => ({ close }) })
  const lease = await acquire()
  await expect(lease.close()).rejects.toThrow('at once')
  await lease.close()
  expect([tries, orphans.size]).toEqual([2, 0])
})
