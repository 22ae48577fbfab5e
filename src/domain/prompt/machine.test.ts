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
import { asRunId } from '../../kernel/ids.ts'
import type { RunOutcome } from '../run/outcome.ts'
import type { EntryState } from './entry.ts'
import { type PromptCommand, type PromptEvent, promptMachine } from './machine.ts'

const completed: RunOutcome = { status: 'COMPLETED' }
const error = { code: 'ABORTED', message: 'Enough.', source: 'harness' }
const cancelled: RunOutcome = { status: 'CANCELLED', error }
const runId = asRunId('r')
const another = asRunId('another')

const states: OfEveryKind<EntryState> = {
  queued: { kind: 'queued' },
  started: { kind: 'started', runId, startedAt: 2 },
  running: { kind: 'running', runId, startedAt: 2 },
  finished: { kind: 'finished', status: 'COMPLETED', error: null, runId, startedAt: 2, finishedAt: 3 },
}

const commands: OfEveryType<PromptCommand> = {
  start: { type: 'start', runId: another, at: 7 },
  run: { type: 'run', at: 7 },
  settle: { type: 'settle', outcome: completed, at: 7 },
  cancel: { type: 'cancel', outcome: cancelled, at: 7 },
}

const decisions: TransitionTable<EntryState, PromptCommand, Expected<PromptEvent>> = {
  queued: {
    start: [{ type: 'started', runId: another, at: 7 }],
    run: 'unchanged',
    settle: [{ type: 'finished', outcome: completed, at: 7 }],
    cancel: [{ type: 'finished', outcome: cancelled, at: 7 }],
  },
  started: {
    start: 'unchanged',
    run: [{ type: 'running', at: 7 }],
    settle: [{ type: 'finished', outcome: completed, at: 7 }],
    cancel: 'unchanged',
  },
  running: {
    start: 'unchanged',
    run: 'unchanged',
    settle: [{ type: 'finished', outcome: completed, at: 7 }],
    cancel: 'unchanged',
  },
  finished: { start: 'unchanged', run: 'unchanged', settle: 'unchanged', cancel: 'unchanged' },
}

const events: OfEveryType<PromptEvent> = {
  started: { type: 'started', runId: another, at: 7 },
  running: { type: 'running', at: 7 },
  finished: { type: 'finished', outcome: cancelled, at: 7 },
}

const cancelledAt7 = { kind: 'finished', status: 'CANCELLED', error, finishedAt: 7 } as const

const evolutions: TransitionTable<EntryState, PromptEvent, EntryState | 'same'> = {
  queued: {
    started: { kind: 'started', runId: another, startedAt: 7 },
    running: 'same',
    finished: { ...cancelledAt7, runId: null, startedAt: null },
  },
  started: {
    started: 'same',
    running: { kind: 'running', runId, startedAt: 2 },
    finished: { ...cancelledAt7, runId, startedAt: 2 },
  },
  running: { started: 'same', running: 'same', finished: { ...cancelledAt7, runId, startedAt: 2 } },
  finished: { started: 'same', running: 'same', finished: 'same' },
}

test.each(cellsOf(decisions))('Q5: an entry that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(promptMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('Q5: an entry that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(promptMachine, states[row], events[column])).toEqual(value)
})

test('Q5: an entry that completed shows no error', () => {
  const after = promptMachine.evolve(states.running, { type: 'finished', outcome: completed, at: 7 })
  expect(after).toEqual({ kind: 'finished', status: 'COMPLETED', error: null, runId, startedAt: 2, finishedAt: 7 })
})
