import { expect, test } from 'vitest'
import { AbortReason } from '../../kernel/abort.ts'
import { asQueueId, asScopeKey, asSessionKey } from '../../kernel/ids.ts'
import type { HeldLease } from './acquire-lease.ts'
import { Entrances } from './entrances.ts'
import { RunLease } from './run-lease.ts'

const held: HeldLease = { close: async () => {} }
const fenced = new AbortReason('fenced', 'The scope is fenced.')
const queued = (queueId: string) => ({ queueId: asQueueId(queueId), state: { kind: 'queued' } as const })

/** Somebody who asks, in the hands of a test. */
function ask(entrances: Entrances, session: number, queueId: string) {
  const answered = Promise.withResolvers<HeldLease>()
  let seen: AbortSignal | undefined
  const lease = new RunLease((signal) => {
    seen = signal
    return answered.promise
  })
  const asking = { scopeKey: asScopeKey(session % 2), sessionKey: asSessionKey(session), queueId: asQueueId(queueId) }
  const entered = entrances.enter(asking, lease)
  entered.catch(() => undefined)
  return { answered, entered, reason: (): unknown => seen?.reason }
}

test('G81: a prompt that waits no longer stops asking, and one that still waits goes on', async () => {
  const entrances = new Entrances()
  const [gone, left, other] = [ask(entrances, 1, 'a'), ask(entrances, 2, 'b'), ask(entrances, 3, 'c')]
  entrances.attend(asSessionKey(1), [queued('x')])
  entrances.attend(asSessionKey(2), [queued('b')])
  expect([gone.reason(), left.reason(), other.reason()]).toMatchObject([{ kind: 'requested' }, undefined, undefined])
  left.answered.resolve(held)
  await left.entered
  expect(entrances.sessions()).toEqual([asSessionKey(1), asSessionKey(3)])
})

test('G81: who asks is stopped with the scope, with the session, or with everybody', () => {
  const entrances = new Entrances()
  const asked = [1, 2, 3].map((session) => ask(entrances, session, 'a'))
  const stopped = () => asked.map(({ reason }) => reason() === fenced)
  entrances.stop(fenced, { sessionKey: asSessionKey(3) })
  expect(stopped()).toEqual([false, false, true])
  entrances.stop(fenced, { scopeKey: asScopeKey(1) })
  expect(stopped()).toEqual([true, false, true])
  entrances.stop(fenced)
  expect(stopped()).toEqual([true, true, true])
})

test('G81: a lease that comes in the turn of the abort lets nobody in', async () => {
  const entrances = new Entrances()
  const one = ask(entrances, 1, 'a')
  one.answered.resolve(held)
  entrances.stop(fenced)
  await expect(one.entered).rejects.toBe(fenced)
  expect(entrances.sessions()).toEqual([])
})

test('G82: what the application throws is thrown as it is', async () => {
  const entrances = new Entrances()
  const one = ask(entrances, 1, 'a')
  const no = new Error('no')
  one.answered.reject(no)
  await expect(one.entered).rejects.toBe(no)
  expect(entrances.sessions()).toEqual([])
})
