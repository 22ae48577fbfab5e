import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addUsage, noUsage, type Usage } from './usage.ts'

const tokens = fc.nat({ max: 1_000_000 })
const usages: fc.Arbitrary<Usage> = fc.record({
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: tokens,
  reasoningTokens: tokens,
  cachedInputTokens: tokens,
})

test('R9: usages add up field by field, in whatever order', () => {
  const [one, two] = [1, 2].map((n) => ({
    inputTokens: n,
    outputTokens: 10 * n,
    totalTokens: 100 * n,
    reasoningTokens: 1000 * n,
    cachedInputTokens: 10_000 * n,
  })) as [Usage, Usage]
  expect(addUsage(one, two)).toEqual({
    inputTokens: 3,
    outputTokens: 30,
    totalTokens: 300,
    reasoningTokens: 3000,
    cachedInputTokens: 30_000,
  })
  fc.assert(
    fc.property(usages, usages, usages, (a, b, c) => {
      expect(addUsage(a, noUsage)).toEqual(a)
      expect(addUsage(a, b)).toEqual(addUsage(b, a))
      expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)))
    }),
  )
})
