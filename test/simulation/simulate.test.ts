import { expect, test } from 'vitest'
import { storyOf } from './story.ts'
import { simulate } from './simulate.ts'

const SEEDS = 120

test('R46, R48, R60, R63, R70, X1, X24, X40, X61, C30, C36: whatever happens to processes, stores, tools and people, what was acknowledged happens once and nothing is left behind', { timeout: 300_000 }, async () => {
  const totals = { uncertain: 0, executions: 0, answers: 0, reconciliations: 0, resumptions: 0 }
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await simulate(seed)
    expect(report.broken === undefined ? 'nothing is broken' : storyOf(report)).toBe('nothing is broken')
    totals.uncertain += report.faults.get('unanswered') ?? 0
    for (const name of ['executions', 'answers', 'reconciliations', 'resumptions'] as const) totals[name] += report[name]
  }
  // The worlds are worth looking at.
  expect(totals.uncertain).toBeGreaterThan(SEEDS)
  expect(totals.executions).toBeGreaterThan(SEEDS)
  expect(totals.answers).toBeGreaterThan(SEEDS / 2)
  expect(totals.resumptions).toBeGreaterThan(SEEDS / 3)
  expect(totals.reconciliations).toBeGreaterThan(SEEDS / 20)
})

test('the same seed gives the same trace, to the last line', async () => {
  for (const seed of [1, 2, 3]) {
    const { trace } = await simulate(seed)
    expect(trace.length).toBeGreaterThan(20)
    expect((await simulate(seed)).trace).toEqual(trace)
  }
})
