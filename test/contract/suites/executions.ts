import { expect } from 'vitest'
import { type IntentId, intentIdOf } from '../../../src/kernel/ids.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { executionOf, insertExecution, reconciledState, runIdOf, updateExecution } from '../support/rows.ts'
import { failureOf, NOW } from '../support/world.ts'

const error = { code: 'FAILED', message: 'It failed.', source: 'tool' }
const reconciled = { kind: 'reconciled', by: 'somebody', at: NOW + 3 } as const

const states: readonly UncertainExecution['state'][] = [
  { kind: 'uncertain' },
  { ...reconciled, found: { outcome: 'SUCCEEDED', output: { a: [1, null] } } },
  { ...reconciled, found: { outcome: 'SUCCEEDED', output: null } },
  { ...reconciled, found: { outcome: 'FAILED', error } },
  { ...reconciled, found: { outcome: 'NOT_EXECUTED' } },
]

const byOrdinal = (a: UncertainExecution, b: UncertainExecution) => a.ordinal - b.ordinal

export const executionsSuite = contractSuite('uncertain executions', (test) => {
  test('C38: executions come back as they were put in, whatever their state', async ({ stores, commit, create }) => {
    const session = await create()
    const executions = states.map((state, i) => executionOf(session, i, { state, runId: runIdOf(session, i % 2) }))
    await commit({ rows: executions.map(insertExecution) })
    const ids = executions.map(({ intentId }) => intentId)
    const found = await stores.executions.findMany([...ids, 'nothing' as IntentId])
    expect(found.toSorted(byOrdinal)).toEqual(executions)
    expect(await stores.executions.findMany([])).toEqual([])
  })

  test('C38: an execution that is reconciled keeps the rest, and is uncertain no more', async (world) => {
    const { stores, commit, create } = world
    for (const state of states.slice(1)) {
      const session = await create()
      const [first, second] = [executionOf(session, 0), executionOf(session, 1)]
      await commit({ rows: [insertExecution(first), insertExecution(second)] })
      await commit({ rows: [updateExecution({ ...first, state })] })
      expect(await stores.executions.uncertain([session.key], 9)).toEqual([second])
      expect(await stores.executions.findMany([first.intentId])).toEqual([{ ...first, state }])
    }
  })

  test('C38: uncertain ones are listed oldest first, so many of each session', async ({ stores, commit, create }) => {
    const [session, other, empty] = [await create(), await create(), await create()]
    const state = (ordinal: number) => (ordinal === 1 ? reconciledState(NOW) : states[0]!)
    const executions = [0, 1, 2, 9, 10].map((i) => executionOf(session, i, { state: state(i), uncertainSince: NOW - i }))
    const foreign = executionOf(other, 0)
    await commit({ rows: [...executions.toReversed(), foreign].map(insertExecution) })
    const found = await stores.executions.uncertain([other.key, empty.key, session.key], 3)
    const mine = found.filter(({ sessionKey }) => sessionKey === session.key)
    expect(mine).toEqual([executions[0], executions[2], executions[3]])
    expect(found.filter(({ sessionKey }) => sessionKey !== session.key)).toEqual([foreign])
    expect(await stores.executions.uncertain([], 3)).toEqual([])
  })

  test('C38: a call is listed once', async ({ commit, create }) => {
    const [session, other] = [await create(), await create()]
    await commit({ rows: [insertExecution(executionOf(session, 0))] })
    const intentId = intentIdOf(runIdOf(session, 0), 0)
    for (const again of [executionOf(session, 0), executionOf(other, 0, { intentId })]) {
      expect(await failureOf(commit({ rows: [insertExecution(again)] }))).toBe('conflict')
    }
  })
})
