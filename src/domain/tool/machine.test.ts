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
import { childStopped, notExecuted, outcomeUnknown, type ToolResult } from './result.ts'

const permissionId = asPermissionId('p')
const another = asPermissionId('another')
const done: ToolResult = { status: 'COMPLETED', output: 1 }

const states: OfEveryKind<CallState> = {
  pending: { kind: 'pending' },
  awaiting: { kind: 'awaiting', permissionId },
  running: { kind: 'running', since: 5 },
  unknown: { kind: 'unknown', since: 5 },
  ended: { kind: 'ended', result: done, begunAt: 5 },
}

const commands: OfEveryType<CallCommand> = {
  ask: { type: 'ask', permissionId },
  answer: { type: 'answer', permissionId },
  begin: { type: 'begin', at: 7 },
  end: { type: 'end', result: done },
  lose: { type: 'lose', effect: 'once' },
  close: { type: 'close', effect: 'once' },
}

const decisions: TransitionTable<CallState, CallCommand, Expected<CallEvent>> = {
  pending: {
    ask: [{ type: 'asked', permissionId }],
    answer: 'unchanged',
    begin: [{ type: 'begun', at: 7 }],
    end: [{ type: 'ended', result: done }],
    lose: 'unchanged',
    close: [{ type: 'ended', result: notExecuted }],
  },
  awaiting: {
    ask: 'unchanged',
    answer: [{ type: 'answered' }],
    begin: 'unchanged',
    end: [{ type: 'ended', result: done }],
    lose: 'unchanged',
    close: [{ type: 'ended', result: notExecuted }],
  },
  running: {
    ask: 'unchanged',
    answer: 'unchanged',
    begin: 'unchanged',
    end: [{ type: 'ended', result: done }],
    lose: [{ type: 'lost' }],
    close: [{ type: 'ended', result: outcomeUnknown }],
  },
  unknown: {
    ask: 'unchanged',
    answer: 'unchanged',
    begin: 'unchanged',
    end: [{ type: 'ended', result: done }],
    lose: 'unchanged',
    close: [{ type: 'ended', result: outcomeUnknown }],
  },
  ended: {
    ask: 'unchanged',
    answer: 'unchanged',
    begin: 'unchanged',
    end: 'unchanged',
    lose: 'unchanged',
    close: 'unchanged',
  },
}

const events: OfEveryType<CallEvent> = {
  asked: { type: 'asked', permissionId },
  answered: { type: 'answered' },
  begun: { type: 'begun', at: 7 },
  reset: { type: 'reset' },
  lost: { type: 'lost' },
  ended: { type: 'ended', result: done },
}

const evolutions: TransitionTable<CallState, CallEvent, CallState | 'same'> = {
  pending: {
    asked: { kind: 'awaiting', permissionId },
    answered: 'same',
    begun: { kind: 'running', since: 7 },
    reset: 'same',
    lost: 'same',
    ended: { kind: 'ended', result: done, begunAt: null },
  },
  awaiting: {
    asked: 'same',
    answered: { kind: 'pending' },
    begun: 'same',
    reset: 'same',
    lost: 'same',
    ended: { kind: 'ended', result: done, begunAt: null },
  },
  running: {
    asked: 'same',
    answered: 'same',
    begun: 'same',
    reset: { kind: 'pending', begunBefore: 5 },
    lost: { kind: 'unknown', since: 5 },
    ended: { kind: 'ended', result: done, begunAt: 5 },
  },
  unknown: {
    asked: 'same',
    answered: 'same',
    begun: 'same',
    reset: 'same',
    lost: 'same',
    ended: { kind: 'ended', result: done, begunAt: 5 },
  },
  ended: { asked: 'same', answered: 'same', begun: 'same', reset: 'same', lost: 'same', ended: 'same' },
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

const lost: Record<Exclude<Effect, 'child'>, CallEvent['type']> = { none: 'reset', repeatable: 'reset', once: 'lost' }

test.each(Object.entries(lost))('T12: a call of effect %s that had begun when its process was lost is %s', (effect, type) => {
  expect(answerOf(decide(callMachine, states.running, { type: 'lose', effect: effect as Effect }))).toEqual([{ type }])
})

test('T12: a call that waits for a child when its process is lost goes on waiting', () => {
  expect(answerOf(decide(callMachine, states.running, { type: 'lose', effect: 'child' }))).toBe('unchanged')
})

const reset: CallState = { kind: 'pending', begunBefore: 5 }
const resetAndAsked: CallState = { kind: 'awaiting', permissionId, begunBefore: 5 }

test('T12: a call that was reset begins again as if it were new, and until then it is known that it had begun', () => {
  expect(callMachine.evolve(reset, events.asked)).toEqual(resetAndAsked)
  expect(callMachine.evolve(resetAndAsked, events.answered)).toEqual(reset)
  expect(callMachine.evolve(reset, events.begun)).toEqual({ kind: 'running', since: 7 })
  for (const state of [reset, resetAndAsked]) {
    expect(callMachine.evolve(state, events.ended)).toEqual({ kind: 'ended', result: done, begunAt: 5 })
  }
})

const begunResults = { none: notExecuted, repeatable: outcomeUnknown, once: outcomeUnknown, child: childStopped }

const closed: readonly (readonly [name: string, state: CallState, results: Record<Effect, ToolResult>])[] = [
  ...(['pending', 'awaiting'] as const).map(
    (kind) => [kind, states[kind], { none: notExecuted, repeatable: notExecuted, once: notExecuted, child: notExecuted }] as const,
  ),
  ...[states.running, states.unknown, reset, resetAndAsked].map(
    (state) => [`begun and ${state.kind}`, state, begunResults] as const,
  ),
]

test.each(closed)('T5: a call that is %s closes as its effect says', (_, state, results) => {
  for (const effect of ['none', 'repeatable', 'once', 'child'] as const) {
    const result = results[effect]
    expect(answerOf(decide(callMachine, state, { type: 'close', effect }))).toEqual([{ type: 'ended', result }])
  }
})
