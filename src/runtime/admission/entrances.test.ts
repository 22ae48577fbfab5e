import { expect, test } from 'vitest'
import { AbortReason } from '../../kernel/abort.ts'
import { asQueueId, asScopeKey, asSessionKey } from '../../kernel/ids.ts'
import { Entrances } from './entrances.ts'

const fenced = new AbortReason('fenced', 'The scope is fenced.')
const queued = (queueId: string) => ({ queueId: asQueueId(queueId), state: { kind: 'queued' } as const })
const started = (queueId: string) =>
  ({ queueId: asQueueId(queueId), state: { kind: 'started', runId: 'r' as never, startedAt: 0 } }) as const

/** Somebody who asks until a test answers. */
function ask(entrances: Entrances, session: number, queueId: string) {
  const answered = Promise.withResolvers<string>()
  let seen: AbortSignal | undefined
  const asking = { scopeKey: asScopeKey(session % 2), sessionKey: asSessionKey(session), queueId: asQueueId(queueId) }
  const over = entrances.during(asking, (signal) => {
    seen = signal
    return answered.promise
  })
  return { answered, over, reason: (): unknown => seen?.reason }
}

test('G81: who asks for a prompt that waits no longer is stopped, and for one that still waits goes on', () => {
  const entrances = new Entrances()
  const [gone, left, begun, other] = [1, 2, 3, 4].map((session) => ask(entrances, session, 'a'))
  entrances.attend(asSessionKey(1), [queued('x')])
  entrances.attend(asSessionKey(2), [queued('a')])
  entrances.attend(asSessionKey(3), [started('a')])
  expect([gone, begun].map((one) => one?.reason())).toMatchObject([{ kind: 'requested' }, { kind: 'requested' }])
  expect([left, other].map((one) => one?.reason())).toEqual([undefined, undefined])
})

test('G81: who asks is stopped with the prompt, the session, the scope, or everybody', () => {
  const entrances = new Entrances()
  const asked = [1, 2, 3, 4].map((session) => ask(entrances, session, `q${session}`))
  const stopped = () => asked.map(({ reason }) => reason() === fenced)
  entrances.stop({ queueId: asQueueId('q4') }, fenced)
  expect(stopped()).toEqual([false, false, false, true])
  entrances.stop({ sessionKey: asSessionKey(3) }, fenced)
  expect(stopped()).toEqual([false, false, true, true])
  entrances.stop({ scopeKey: asScopeKey(1) }, fenced)
  expect(stopped()).toEqual([true, false, true, true])
  entrances.stop({}, fenced)
  expect(stopped()).toEqual([true, true, true, true])
})

test('G81: who has his answer, or was refused, is not stopped any more', async () => {
  const entrances = new Entrances()
  const [one, two] = [ask(entrances, 1, 'a'), ask(entrances, 2, 'b')]
  one.answered.resolve('yes')
  two.answered.reject(new Error('no'))
  expect(await one.over).toBe('yes')
  await expect(two.over).rejects.toThrow('no')
  entrances.stop({}, fenced)
  expect([one.reason(), two.reason()]).toEqual([undefined, undefined])
})
