import { expect, test } from 'vitest'
import { utf8Length } from '../../kernel/text.ts'
import { MAX_BUDGET_IDLE_MS, MAX_BUDGET_TOKENS, MAX_BUDGET_WALL_CLOCK_MS, MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import { type Budget, budgetIssues, budgetOf, exceeded, exhausted, silentFor } from './budget.ts'
import { errorOf } from './outcome.ts'

const path = ['options', 'budget']
const none: Budget = { totalTokens: null, wallClockMs: null, idleMs: null }
const positive = (max: number) => `must be a positive integer of at most ${max}`

test('R100: a budget is made of positive integers up to a day of silence, a month of work and a million million tokens', () => {
  const largest = { totalTokens: MAX_BUDGET_TOKENS, wallClockMs: MAX_BUDGET_WALL_CLOCK_MS, idleMs: MAX_BUDGET_IDLE_MS }
  for (const given of [{}, { totalTokens: 1 }, { wallClockMs: 1, idleMs: null }, { idleMs: undefined }, largest]) {
    expect(budgetIssues(given, path)).toEqual([])
  }
  const tooLarge = { totalTokens: largest.totalTokens + 1, wallClockMs: largest.wallClockMs + 1, idleMs: largest.idleMs + 1 }
  expect(budgetIssues(tooLarge, path)).toEqual([
    { path: [...path, 'totalTokens'], message: positive(1_000_000_000_000) },
    { path: [...path, 'wallClockMs'], message: positive(2_592_000_000) },
    { path: [...path, 'idleMs'], message: positive(86_400_000) },
  ])
})

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', true, 5n, {}, []])(
  'R100: %s is no budget of anything',
  (value) => {
    const given = { totalTokens: value, wallClockMs: value, idleMs: value }
    expect(budgetIssues(given, path).map((issue) => issue.path.at(-1))).toEqual(['totalTokens', 'wallClockMs', 'idleMs'])
  },
)

test('R100: an unknown field is named beside the faulty ones', () => {
  expect(budgetIssues({ tokens: 5, idleMs: 0, toString: 1 }, [])).toEqual([
    { path: ['tokens'], message: 'is unknown: a budget has totalTokens, wallClockMs, idleMs' },
    { path: ['idleMs'], message: positive(86_400_000) },
    { path: ['toString'], message: 'is unknown: a budget has totalTokens, wallClockMs, idleMs' },
  ])
})

test.each([null, undefined, 5, 'none', [], [5]])('R100: %j is no budget', (given) => {
  expect(budgetIssues(given, path)).toEqual([{ path, message: 'must be an object' }])
})

test('R100: a budget without a limit is none', () => {
  expect([{}, none, { idleMs: undefined }].map(budgetOf)).toEqual([null, null, null])
  expect(budgetOf({ wallClockMs: 5 })).toEqual({ ...none, wallClockMs: 5 })
})

const tokens = { ...none, totalTokens: 100 }
const time = { ...none, wallClockMs: 100 }

test('R101: nothing is left of a budget once as much is used as it allows', () => {
  const spent = (totalTokens: number, workedMs: number) => ({ totalTokens, workedMs })
  const left = [
    exhausted(null, spent(1e9, 1e9), 'own'),
    exhausted(none, spent(1e9, 1e9), 'own'),
    exhausted({ ...none, idleMs: 1 }, spent(1e9, 1e9), 'own'),
    exhausted(tokens, spent(99, 1e9), 'own'),
    exhausted(time, spent(1e9, 99), 'own'),
  ]
  expect(left).toEqual(left.map(() => undefined))
  expect(exhausted(tokens, spent(100, 0), 'own')).toEqual(exceeded('The run used 100 of its 100 tokens.'))
  expect(exhausted(tokens, spent(105, 0), 'own')).toEqual(exceeded('The run used 105 of its 100 tokens.'))
  expect(exhausted(time, spent(0, 100), 'own')).toEqual(exceeded('The run worked for 100 of its 100 ms.'))
  expect(exhausted(time, spent(0, 150), 'above')).toEqual(
    exceeded('The run that delegated to this one worked for 150 of its 100 ms.'),
  )
})

test('R101, R13: what ends a run for its budget fits into the limits of errors', () => {
  const spent = { totalTokens: Number.MAX_SAFE_INTEGER, workedMs: Number.MAX_SAFE_INTEGER }
  const outcomes = [exhausted(tokens, spent, 'above'), exhausted(time, spent, 'above'), exceeded(silentFor(MAX_BUDGET_IDLE_MS))]
  for (const outcome of outcomes) {
    const error = outcome && errorOf(outcome)
    expect(error?.code).toBe('BUDGET_EXCEEDED')
    expect(utf8Length(error?.message ?? '')).toBeLessThan(MAX_ERROR_MESSAGE_BYTES)
  }
})
