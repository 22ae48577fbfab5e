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
import { asGenerationId, asSessionId, asSessionKey, type ScopeKey } from '../../kernel/ids.ts'
import { newSession } from './new-session.ts'
import { idTaken, type Slot, type StructureCommand, type StructureEvent, structureMachine } from './structure.ts'

const session = newSession({
  key: asSessionKey(7),
  scopeKey: 1 as ScopeKey,
  sessionId: asSessionId('a "session"'),
  generationId: asGenerationId('g'),
  title: null,
  metadata: null,
  createdBy: 'ann',
  at: 1000,
})

const states: OfEveryKind<Slot> = {
  absent: { kind: 'absent' },
  live: { kind: 'live', key: asSessionKey(3) },
  tombstoned: { kind: 'tombstoned', key: asSessionKey(3), group: asSessionKey(2) },
}
const group = asSessionKey(2)
const { sessionId } = session
const commands: OfEveryType<StructureCommand> = {
  create: { type: 'create', session },
  reserve: { type: 'reserve', sessionId, group },
  finish: { type: 'finish' },
}
const events: OfEveryType<StructureEvent> = {
  created: { type: 'created', session },
  reserved: { type: 'reserved', group },
  finished: { type: 'finished' },
}

const decisions: TransitionTable<Slot, StructureCommand, Expected<StructureEvent>> = {
  absent: { create: [events.created], reserve: { refused: 'NOT_FOUND' }, finish: 'unchanged' },
  live: { create: { refused: 'VALIDATION_FAILED' }, reserve: [events.reserved], finish: 'unchanged' },
  tombstoned: { create: { refused: 'VALIDATION_FAILED' }, reserve: 'unchanged', finish: [events.finished] },
}

const evolutions: TransitionTable<Slot, StructureEvent, Slot | 'same'> = {
  absent: { created: { kind: 'live', key: session.key }, reserved: 'same', finished: 'same' },
  live: { created: 'same', reserved: states.tombstoned, finished: 'same' },
  tombstoned: { created: 'same', reserved: 'same', finished: states.absent },
}

test.each(cellsOf(decisions))('S1, S60: an id that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(structureMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('S1, S60: an id that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(structureMachine, states[row], events[column])).toEqual(value)
})

test('S1: the refusal names the field and the id', () => {
  expect(decide(structureMachine, states.live, commands.create)).toEqual({
    kind: 'refused',
    refusal: idTaken(session.sessionId),
  })
  const message = 'A session with the id "a \\"session\\"" exists already. Choose another id.'
  expect(idTaken(session.sessionId).issues).toEqual([{ path: ['sessionId'], message }])
})
