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
import { type RunCommand, type RunEvent, runMachine } from './machine.ts'
import type { LogOutcome, RunOutcome } from './outcome.ts'
import type { AbortRequest, RunState } from './run.ts'
import { noUsage } from './usage.ts'

const completed: RunOutcome = { status: 'COMPLETED' }
const failed: RunOutcome = { status: 'FAILED', error: { code: 'RATE_LIMITED', message: 'Too fast.', source: 'model' } }
const cancelled: RunOutcome = { status: 'CANCELLED', error: { code: 'ABORTED', message: 'Enough.', source: 'harness' } }
const model = { provider: 'offline', id: 'echo' }
const usage = { ...noUsage, inputTokens: 3 }
const request: AbortRequest = { kind: 'requested', message: 'Enough.', by: 'ann', at: 7 }
const later: AbortRequest = { kind: 'superseded', message: 'Too late.', by: 'bob', at: 8 }

const states: OfEveryKind<RunState> = {
  admitting: { kind: 'admitting' },
  resolving: { kind: 'resolving', aborting: null },
  generating: { kind: 'generating', aborting: null },
  finalizing: { kind: 'finalizing', outcome: completed, generated: true },
  finished: { kind: 'finished', outcome: completed, at: 5 },
}

const commands: OfEveryType<RunCommand> = {
  admit: { type: 'admit' },
  resolve: { type: 'resolve', model },
  endStep: { type: 'endStep', usage },
  count: { type: 'count', workedMs: 5 },
  resume: { type: 'resume', epoch: 7, owner: 'another server' },
  abort: { type: 'abort', request },
  conclude: { type: 'conclude', outcome: failed },
  finish: { type: 'finish', at: 9 },
}

const decisions: TransitionTable<RunState, RunCommand, Expected<RunEvent>> = {
  admitting: {
    admit: [{ type: 'admitted' }],
    resolve: 'unchanged',
    endStep: 'unchanged',
    count: 'unchanged',
    resume: 'unchanged',
    abort: 'unchanged',
    conclude: 'unchanged',
    finish: 'unchanged',
  },
  resolving: {
    admit: 'unchanged',
    resolve: [{ type: 'resolved', model }],
    endStep: 'unchanged',
    count: [{ type: 'counted', workedMs: 5 }],
    resume: [{ type: 'resumed', epoch: 7, owner: 'another server' }],
    abort: [{ type: 'abortRequested', request }],
    conclude: [{ type: 'outcomeDecided', outcome: failed, generated: false }],
    finish: 'unchanged',
  },
  generating: {
    admit: 'unchanged',
    resolve: 'unchanged',
    endStep: [{ type: 'stepEnded', usage }],
    count: [{ type: 'counted', workedMs: 5 }],
    resume: [{ type: 'resumed', epoch: 7, owner: 'another server' }],
    abort: [{ type: 'abortRequested', request }],
    conclude: [{ type: 'outcomeDecided', outcome: failed, generated: true }],
    finish: 'unchanged',
  },
  finalizing: {
    admit: 'unchanged',
    resolve: 'unchanged',
    endStep: 'unchanged',
    count: 'unchanged',
    resume: 'unchanged',
    abort: 'unchanged',
    conclude: 'unchanged',
    finish: [{ type: 'finished', outcome: completed, log: 'ACCEPTED', at: 9 }],
  },
  finished: {
    admit: 'unchanged',
    resolve: 'unchanged',
    endStep: 'unchanged',
    count: 'unchanged',
    resume: 'unchanged',
    abort: 'unchanged',
    conclude: 'unchanged',
    finish: 'unchanged',
  },
}

const events: OfEveryType<RunEvent> = {
  admitted: { type: 'admitted' },
  resolved: { type: 'resolved', model },
  stepEnded: { type: 'stepEnded', usage },
  counted: { type: 'counted', workedMs: 5 },
  resumed: { type: 'resumed', epoch: 7, owner: 'another server' },
  abortRequested: { type: 'abortRequested', request },
  outcomeDecided: { type: 'outcomeDecided', outcome: failed, generated: true },
  finished: { type: 'finished', outcome: completed, log: 'ACCEPTED', at: 9 },
}

const evolutions: TransitionTable<RunState, RunEvent, RunState | 'same'> = {
  admitting: {
    admitted: states.resolving,
    resolved: 'same',
    stepEnded: 'same',
    counted: 'same',
    resumed: 'same',
    abortRequested: 'same',
    outcomeDecided: 'same',
    finished: 'same',
  },
  resolving: {
    admitted: 'same',
    resolved: states.generating,
    stepEnded: 'same',
    counted: 'same',
    resumed: states.resolving,
    abortRequested: { kind: 'resolving', aborting: request },
    outcomeDecided: { kind: 'finalizing', outcome: failed, generated: true },
    finished: 'same',
  },
  generating: {
    admitted: 'same',
    resolved: 'same',
    stepEnded: 'same',
    counted: 'same',
    resumed: states.resolving,
    abortRequested: { kind: 'generating', aborting: request },
    outcomeDecided: { kind: 'finalizing', outcome: failed, generated: true },
    finished: 'same',
  },
  finalizing: {
    admitted: 'same',
    resolved: 'same',
    stepEnded: 'same',
    counted: 'same',
    resumed: 'same',
    abortRequested: 'same',
    outcomeDecided: 'same',
    finished: { kind: 'finished', outcome: completed, at: 9 },
  },
  finished: {
    admitted: 'same',
    resolved: 'same',
    stepEnded: 'same',
    counted: 'same',
    resumed: 'same',
    abortRequested: 'same',
    outcomeDecided: 'same',
    finished: 'same',
  },
}

test.each(cellsOf(decisions))('R1: a run that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(runMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('R1: a run that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(runMachine, states[row], events[column])).toEqual(value)
})

const abortable = ['resolving', 'generating'] as const

test.each(abortable)('R4: the first abort of a run that is %s is the one that counts', (kind) => {
  const aborting: RunState = { kind, aborting: request }
  expect(answerOf(decide(runMachine, aborting, { type: 'abort', request: later }))).toBe('unchanged')
  expect(runMachine.evolve(aborting, { type: 'abortRequested', request: later })).toBe(aborting)
})

test.each(abortable)('R4: a run that is %s and is being aborted ends cancelled, whatever is reported', (kind) => {
  for (const outcome of [completed, failed, cancelled]) {
    expect(answerOf(decide(runMachine, { kind, aborting: later }, { type: 'conclude', outcome }))).toEqual([
      {
        type: 'outcomeDecided',
        outcome: { status: 'CANCELLED', error: { code: 'ABORTED', message: 'Too late.', source: 'harness' } },
        generated: kind === 'generating',
      },
    ])
  }
})

test.each(abortable)('R4, P4: a run that is %s and was rejected by a person fails, whatever is reported', (kind) => {
  const aborting: AbortRequest = { ...request, kind: 'rejected', message: 'A person rejected the request.' }
  const error = { code: 'PERMISSION_REJECTED', message: 'A person rejected the request.', source: 'harness' }
  for (const outcome of [completed, failed, cancelled]) {
    expect(answerOf(decide(runMachine, { kind, aborting }, { type: 'conclude', outcome }))).toEqual([
      { type: 'outcomeDecided', outcome: { status: 'FAILED', error }, generated: kind === 'generating' },
    ])
  }
})

test('R4: an abort that was asked for while the model was resolved is not forgotten when it is', () => {
  const aborting: RunState = { kind: 'resolving', aborting: request }
  expect(runMachine.evolve(aborting, events.resolved)).toEqual({ kind: 'generating', aborting: request })
})

test.each(abortable)('R4: a run that is %s and is being aborted is still being aborted when it is resumed', (kind) => {
  const resumed = runMachine.evolve({ kind, aborting: request }, events.resumed)
  expect(resumed).toEqual({ kind: 'resolving', aborting: request })
})

test.each<[RunOutcome, boolean, LogOutcome]>([
  [completed, true, 'ACCEPTED'],
  [completed, false, 'ACCEPTED'],
  [failed, true, 'REJECTED'],
  [failed, false, 'INTERRUPTED'],
  [cancelled, true, 'INTERRUPTED'],
  [cancelled, false, 'INTERRUPTED'],
])('R8: a run with the outcome %o that generated (%s) is in the log as %s', (outcome, generated, log) => {
  const state: RunState = { kind: 'finalizing', outcome, generated }
  expect(answerOf(decide(runMachine, state, { type: 'finish', at: 9 }))).toEqual([
    { type: 'finished', outcome, log, at: 9 },
  ])
})
