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
import { asPermissionId } from '../../kernel/ids.ts'
import type { CallState, Effect } from './call.ts'
import { type CallCommand, type CallEvent, callMachine } from './machine.ts'
import { notExecuted, outcomeUnknown, type ToolResult } from './result.ts'

const permissionId = asPermissionId('p')
const another = asPermissionId('another')
const done: ToolResult = { status: 'COMPLETED', output: 1 }

const states: OfEveryKind<CallState> = {
  pending: { kind: 'pending' },
  awaiting: { kind: 'awaiting', permissionId },
  running: { kind: 'running', since: 5 },
  ended: { kind: 'ended', result: done, begunAt: 5 },
}

const commands: OfEveryType<CallCommand> = {
  ask: { type: 'ask', permissionId },
  answer: { type: 'answer', permissionId },
  begin: { type: 'begin', at: 7 },
  end: { type: 'end', result: done },
  close: { type: 'close', effect: 'once' },
}

const decisions: TransitionTable<CallState, CallCommand, Expected<CallEvent>> = {
  pending: {
    ask: [{ type: 'asked', permissionId }],
    answer: 'unchanged',
    begin: [{ type: 'begun', at: 7 }],
    end: [{ type: 'ended', result: done }],
    close: [{ type: 'ended', result: notExecuted }],
  },
  awaiting: {
    ask: 'unchanged',
    answer: [{ type: 'answered' }],
    begin: 'unchanged',
    end: [{ type: 'ended', result: done }],
    close: [{ type: 'ended', result: notExecuted }],
  },
  running: {
    ask: 'unchanged',
    answer: 'unchanged',
    begin: 'unchanged',
    end: [{ type: 'ended', result: done }],
    close: [{ type: 'ended', result: outcomeUnknown }],
  },
  ended: { ask: 'unchanged', answer: 'unchanged', begin: 'unchanged', end: 'unchanged', close: 'unchanged' },
}

const events: OfEveryType<CallEvent> = {
  asked: { type: 'asked', permissionId },
  answered: { type: 'answered' },
  begun: { type: 'begun', at: 7 },
  ended: { type: 'ended', result: done },
}

const evolutions: TransitionTable<CallState, CallEvent, CallState | 'same'> = {
  pending: {
    asked: { kind: 'awaiting', permissionId },
    answered: 'same',
    begun: { kind: 'running', since: 7 },
    ended: { kind: 'ended', result: done, begunAt: null },
  },
  awaiting: {
    asked: 'same',
    answered: { kind: 'pending' },
    begun: 'same',
    ended: { kind: 'ended', result: done, begunAt: null },
  },
  running: { asked: 'same', answered: 'same', begun: 'same', ended: { kind: 'ended', result: done, begunAt: 5 } },
  ended: { asked: 'same', answered: 'same', begun: 'same', ended: 'same' },
}

test.each(cellsOf(decisions))('T1: a call that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(callMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('T1: a call that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(callMachine, states[row], events[column])).toEqual(value)
})

test('P7: a call that waits goes on with the answer to its own request alone', () => {
  expect(answerOf(decide(callMachine, states.awaiting, { type: 'answer', permissionId: another }))).toBe('unchanged')
})

const closed: Record<Exclude<CallState['kind'], 'ended'>, Record<Effect, ToolResult>> = {
  pending: { none: notExecuted, repeatable: notExecuted, once: notExecuted },
  awaiting: { none: notExecuted, repeatable: notExecuted, once: notExecuted },
  running: { none: notExecuted, repeatable: outcomeUnknown, once: outcomeUnknown },
}

test.each(cellsOf(closed))('T5: a call that is $row, of effect $column, closes as $value.status', (cell) => {
  const { row, column: effect, value: result } = cell
  expect(answerOf(decide(callMachine, states[row], { type: 'close', effect }))).toEqual([{ type: 'ended', result }])
})
