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
import { type WorkCommand, type WorkEvent, workMachine } from './machine.ts'
import type { Work } from './session.ts'

const runId = asRunId('r')
const another = asRunId('another')

const states: OfEveryKind<Work> = {
  idle: { kind: 'idle', since: 1 },
  queued: { kind: 'queued', since: 1 },
  running: { kind: 'running', since: 1, runId, run: 4, doing: 'THINKING' },
}

const commands: OfEveryType<WorkCommand> = {
  enqueue: { type: 'enqueue', whenBusy: 'ENQUEUE', at: 7 },
  begin: { type: 'begin', runId, run: 4, at: 7 },
  do: { type: 'do', runId, doing: 'RESPONDING', at: 7 },
  end: { type: 'end', runId, left: 2, at: 7 },
  drop: { type: 'drop', left: 0, at: 7 },
}

const decisions: TransitionTable<Work, WorkCommand, Expected<WorkEvent>> = {
  idle: {
    enqueue: [{ type: 'arrived', at: 7 }],
    begin: 'unchanged',
    do: 'unchanged',
    end: 'unchanged',
    drop: 'unchanged',
  },
  queued: {
    enqueue: [{ type: 'arrived', at: 7 }],
    begin: [{ type: 'began', runId, run: 4, at: 7 }],
    do: 'unchanged',
    end: 'unchanged',
    drop: [{ type: 'emptied', at: 7 }],
  },
  running: {
    enqueue: [{ type: 'arrived', at: 7 }],
    begin: 'unchanged',
    do: [{ type: 'turnedTo', doing: 'RESPONDING', at: 7 }],
    end: [{ type: 'ended', left: 2, at: 7 }],
    drop: 'unchanged',
  },
}

const events: OfEveryType<WorkEvent> = {
  arrived: { type: 'arrived', at: 7 },
  began: { type: 'began', runId: another, run: 5, at: 7 },
  turnedTo: { type: 'turnedTo', doing: 'RESPONDING', at: 7 },
  ended: { type: 'ended', left: 2, at: 7 },
  emptied: { type: 'emptied', at: 7 },
}

const evolutions: TransitionTable<Work, WorkEvent, Work | 'same'> = {
  idle: { arrived: { kind: 'queued', since: 7 }, began: 'same', turnedTo: 'same', ended: 'same', emptied: 'same' },
  queued: {
    arrived: 'same',
    began: { kind: 'running', since: 7, runId: another, run: 5, doing: 'THINKING' },
    turnedTo: 'same',
    ended: 'same',
    emptied: { kind: 'idle', since: 7 },
  },
  running: {
    arrived: 'same',
    began: 'same',
    turnedTo: { kind: 'running', since: 7, runId, run: 4, doing: 'RESPONDING' },
    ended: { kind: 'queued', since: 7 },
    emptied: 'same',
  },
}

test.each(cellsOf(decisions))('Q12: a session that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(workMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('Q12: a session that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(workMachine, states[row], events[column])).toEqual(value)
})

const enqueuing: Record<Work['kind'], Record<'ENQUEUE' | 'REJECT' | 'INTERRUPT', Expected<WorkEvent>>> = {
  idle: { ENQUEUE: [events.arrived], REJECT: [events.arrived], INTERRUPT: [events.arrived] },
  queued: { ENQUEUE: [events.arrived], REJECT: { refused: 'SESSION_BUSY' }, INTERRUPT: [events.arrived] },
  running: { ENQUEUE: [events.arrived], REJECT: { refused: 'SESSION_BUSY' }, INTERRUPT: [events.arrived] },
}

test.each(cellsOf(enqueuing))('Q3: a session that is $row answers whenBusy: $column', ({ row, column, value }) => {
  expect(answerOf(decide(workMachine, states[row], { type: 'enqueue', whenBusy: column, at: 7 }))).toEqual(value)
})

test('Q12: another run neither turns a session to something else nor ends its work', () => {
  expect(answerOf(decide(workMachine, states.running, { ...commands.do, runId: another }))).toBe('unchanged')
  expect(answerOf(decide(workMachine, states.running, { ...commands.end, runId: another }))).toBe('unchanged')
})

test('Q12: turning to what the session does already is no change', () => {
  expect(answerOf(decide(workMachine, states.running, { ...commands.do, doing: 'THINKING' }))).toBe('unchanged')
})

test('Q8: a session is idle when its last prompt has ended or was taken out, and no sooner', () => {
  expect(workMachine.evolve(states.running, { type: 'ended', left: 0, at: 7 })).toEqual({ kind: 'idle', since: 7 })
  expect(answerOf(decide(workMachine, states.queued, { type: 'drop', left: 1, at: 7 }))).toBe('unchanged')
})
