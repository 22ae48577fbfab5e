import { expect, test } from 'vitest'
import {
  answerOf,
  cellsOf,
  evolved,
  type Expected,
  type OfEveryKind,
  type TransitionTable,
} from '../../../test/support/transition-table.ts'
import { decide } from '../../kernel/decider.ts'
import { executionMachine, type ReconcileCommand, type ReconciledEvent } from './execution-machine.ts'
import type { ExecutionState, Reconciliation } from './execution.ts'

const found: Reconciliation = { outcome: 'NOT_EXECUTED' }
const succeeded: Reconciliation = { outcome: 'SUCCEEDED', output: { written: true } }

const states: OfEveryKind<ExecutionState> = {
  uncertain: { kind: 'uncertain' },
  reconciled: { kind: 'reconciled', found: succeeded, by: 'ann', at: 5 },
}

const command: ReconcileCommand = { type: 'reconcile', found, by: 'bob', at: 7 }
const event: ReconciledEvent = { type: 'reconciled', found, by: 'bob', at: 7 }

const decisions: TransitionTable<ExecutionState, ReconcileCommand, Expected<ReconciledEvent>> = {
  uncertain: { reconcile: [event] },
  reconciled: { reconcile: { refused: 'RECONCILIATION_STATE' } },
}

const evolutions: TransitionTable<ExecutionState, ReconciledEvent, ExecutionState | 'same'> = {
  uncertain: { reconciled: { kind: 'reconciled', found, by: 'bob', at: 7 } },
  reconciled: { reconciled: 'same' },
}

test.each(cellsOf(decisions))('T6: an execution that is $row answers $column', ({ row, value }) => {
  expect(answerOf(decide(executionMachine, states[row], command))).toEqual(value)
})

test.each(cellsOf(evolutions))('T6: an execution that is $row takes $column', ({ row, value }) => {
  expect(evolved(executionMachine, states[row], event)).toEqual(value)
})

test('T6: a repeated reconciliation is told how the first one was', () => {
  expect(decide(executionMachine, states.reconciled, command)).toEqual({
    kind: 'refused',
    refusal: {
      code: 'RECONCILIATION_STATE',
      message: 'The execution was reconciled before, as SUCCEEDED. Nothing was changed.',
    },
  })
})
