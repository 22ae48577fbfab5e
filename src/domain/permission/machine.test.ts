import { expect, test } from 'vitest'
import {
  answerOf,
  cellsOf,
  evolved,
  type Expected,
  type OfEveryKind,
  type OfEveryType,
  type TransitionTable,
} from '../../../test/support/transition-table.ts'
import { decide } from '../../kernel/decider.ts'
import { type PermissionCommand, type PermissionEvent, permissionMachine } from './machine.ts'
import type { PermissionDecision, PermissionState, Resolution } from './permission.ts'

const once: Resolution = { decision: 'ONCE', message: null, by: 'ann', at: 5 }
const rejected: Resolution = { decision: 'REJECT', message: 'Not now.', by: 'bob', at: 7 }
const cancelled: Resolution = { decision: 'CANCELLED', message: null, by: null, at: 9 }

const states: OfEveryKind<PermissionState> = { pending: { kind: 'pending' }, resolved: { kind: 'resolved', ...once } }

const commands: OfEveryType<PermissionCommand> = {
  answer: { type: 'answer', resolution: rejected },
  cancel: { type: 'cancel', at: 9 },
}

const decisions: TransitionTable<PermissionState, PermissionCommand, Expected<PermissionEvent>> = {
  pending: {
    answer: [{ type: 'resolved', resolution: rejected }],
    cancel: [{ type: 'resolved', resolution: cancelled }],
  },
  resolved: { answer: { refused: 'PERMISSION_STATE' }, cancel: 'unchanged' },
}

const evolutions: TransitionTable<PermissionState, PermissionEvent, PermissionState | 'same'> = {
  pending: { resolved: { kind: 'resolved', ...rejected } },
  resolved: { resolved: 'same' },
}

test.each(cellsOf(decisions))('P1: a request that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(permissionMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('P1: a request that is $row takes $column', ({ row, value }) => {
  expect(evolved(permissionMachine, states[row], { type: 'resolved', resolution: rejected })).toEqual(value)
})

const made: readonly PermissionDecision[] = ['ONCE', 'ALWAYS', 'REJECT']

test.each(made)('P1: a request keeps the decision %s as it was made', (decision) => {
  const resolution: Resolution = { ...rejected, decision }
  const state = permissionMachine.evolve(states.pending, { type: 'resolved', resolution })
  expect(state).toEqual({ kind: 'resolved', ...resolution })
})

test('P1: a second answer is told how the first one was', () => {
  expect(decide(permissionMachine, states.resolved, commands.answer)).toEqual({
    kind: 'refused',
    refusal: {
      code: 'PERMISSION_STATE',
      message: 'The request is not pending any more: it ended with ONCE. Nothing was changed.',
    },
  })
})
