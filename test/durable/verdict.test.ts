import { expect, test } from 'vitest'
import type { Attempt, Effect } from './journal.ts'
import { type Call, repeatedEffects, zombiesAmong } from './verdict.ts'

const call = (fields: Partial<Call>): Call => ({ name: 'r 1', tool: 'charge', status: 'COMPLETED', isUncertain: false, ...fields })
const effect = (toolCallId = '1'): Effect => ({ tool: 'charge', runId: 'r', toolCallId })

test.each<[what: string, calls: readonly Call[], effects: readonly Effect[]]>([
  ['a call that was executed twice', [call({})], [effect(), effect()]],
  ['a call that is told to be done and was not', [call({})], []],
  ['a call that was done and is told to have failed', [call({ status: 'FAILED' })], [effect()]],
  ['a call that nobody asked for', [], [effect()]],
])('R79: the verdict finds %s', (_, calls, effects) => {
  expect(() => repeatedEffects(calls, effects)).toThrow('R79')
})

test('R79: the verdict is content with one execution, with none, and with several of what can be repeated', () => {
  const calls = [call({}), call({ name: 'r 2', status: 'CANCELLED' }), call({ name: 'r 3', status: 'UNCERTAIN', isUncertain: true })]
  expect(repeatedEffects(calls, [effect(), effect('3')])).toBe(0)
  expect(repeatedEffects([call({ tool: 'put' })], [effect(), effect()])).toBe(1)
})

test('R77: the verdict counts commits under an epoch that was over, those that were refused and those that were taken', () => {
  const attempt = (revision: number, epoch: number, fields: Partial<Attempt> = {}): Attempt => ({
    process: 'p',
    at: 0,
    session: 1,
    revision,
    epoch,
    nextEpoch: epoch,
    outcome: 'committed',
    ...fields,
  })
  const takeOver = [attempt(1, 1), attempt(2, 1, { nextEpoch: 2 }), attempt(3, 2)]
  const refused = attempt(2, 1, { outcome: 'fenced' })
  expect(zombiesAmong([...takeOver, refused])).toEqual({ attempted: 1, accepted: 0 })
  expect(zombiesAmong([...takeOver, attempt(4, 1)])).toEqual({ attempted: 0, accepted: 1 })
  expect(zombiesAmong([...takeOver, attempt(2, 1)])).toEqual({ attempted: 0, accepted: 1 })
})
