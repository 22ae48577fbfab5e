import { expect, test } from 'vitest'
import { storyOf } from './story.ts'
import { simulate } from './simulate.ts'

const SEEDS = 80

test('R46, R48, C30, C36: whatever happens to processes, stores and clients, what was acknowledged happens once and nothing is left behind', { timeout: 120_000 }, async () => {
  let uncertain = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await simulate(seed)
    expect(report.broken === undefined ? 'nothing is broken' : storyOf(report)).toBe('nothing is broken')
    uncertain += report.faults.get('unanswered') ?? 0
  }
  expect(uncertain).toBeGreaterThan(SEEDS)
})

test('the same seed gives the same trace, to the last line', async () => {
  for (const seed of [1, 2, 3]) {
    const { trace } = await simulate(seed)
    expect(trace.length).toBeGreaterThan(20)
    expect((await simulate(seed)).trace).toEqual(trace)
  }
})
