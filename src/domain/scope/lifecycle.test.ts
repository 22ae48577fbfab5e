import { expect, test } from 'vitest'
import {
  answerOf,
  cellsOf,
  evolved,
  type Expected,
  type OfEveryType,
  type TransitionTable,
} from '../../../test/support/transition-table.ts'
import { decide } from '../../kernel/decider.ts'
import {
  type Fence,
  fencedRefusal,
  fenceOf,
  type Lifecycle,
  type LifecycleCommand,
  type LifecycleEvent,
  lifecycleMachine,
  retiredRefusal,
} from './lifecycle.ts'

const fence: Fence = { since: 1000, reason: 'The first reason.' }
const another: Fence = { since: 2000, reason: 'Another reason.' }

/** A retirement stands twice: with a fence and without one. */
const states = {
  active: { kind: 'active' },
  fenced: { kind: 'fenced', fence },
  retiring: { kind: 'retiring', fence: null },
  'retiring and fenced': { kind: 'retiring', fence },
  retired: { kind: 'retired' },
} as const satisfies Readonly<Record<string, Lifecycle>>
type Row = { readonly kind: keyof typeof states }

const commands: OfEveryType<LifecycleCommand> = {
  admit: { type: 'admit' },
  fence: { type: 'fence', fence: another },
  restore: { type: 'restore' },
  retire: { type: 'retire' },
  finish: { type: 'finish' },
}

const events: OfEveryType<LifecycleEvent> = {
  fenced: { type: 'fenced', fence: another },
  restored: { type: 'restored' },
  retirementBegan: { type: 'retirementBegan' },
  retired: { type: 'retired' },
}

const is = 'unchanged'
const fenced = { refused: 'SCOPE_FENCED' }
const retired = { refused: 'SCOPE_RETIRED' }
const { fenced: isFenced, restored: isRestored, retirementBegan: begins, retired: ends } = events

const decisions: TransitionTable<Row, LifecycleCommand, Expected<LifecycleEvent>> = {
  active: { admit: [], fence: [isFenced], restore: is, retire: [begins], finish: is },
  fenced: { admit: fenced, fence: is, restore: [isRestored], retire: [begins], finish: is },
  retiring: { admit: retired, fence: [isFenced], restore: is, retire: is, finish: [ends] },
  'retiring and fenced': { admit: retired, fence: is, restore: [isRestored], retire: is, finish: is },
  retired: { admit: retired, fence: is, restore: is, retire: is, finish: is },
}

const evolutions: TransitionTable<Row, LifecycleEvent, Lifecycle | 'same'> = {
  active: {
    fenced: { kind: 'fenced', fence: another },
    restored: 'same',
    retirementBegan: states.retiring,
    retired: 'same',
  },
  fenced: {
    fenced: 'same',
    restored: states.active,
    retirementBegan: states['retiring and fenced'],
    retired: 'same',
  },
  retiring: {
    fenced: { kind: 'retiring', fence: another },
    restored: 'same',
    retirementBegan: 'same',
    retired: states.retired,
  },
  'retiring and fenced': { fenced: 'same', restored: states.retiring, retirementBegan: 'same', retired: 'same' },
  retired: { fenced: 'same', restored: 'same', retirementBegan: 'same', retired: 'same' },
}

test.each(cellsOf(decisions))('S10: a scope that is $row answers $column', ({ row, column, value }) => {
  expect(answerOf(decide(lifecycleMachine, states[row], commands[column]))).toEqual(value)
})

test.each(cellsOf(evolutions))('S10: a scope that is $row takes $column', ({ row, column, value }) => {
  expect(evolved(lifecycleMachine, states[row], events[column])).toEqual(value)
})

test('S10: a fence stands until it is lifted, also over a scope that is being retired', () => {
  expect(Object.values(states).map(fenceOf)).toEqual([null, fence, null, fence, null])
})

test('S11: whoever is refused is told why, that nothing was changed, and what to do', () => {
  expect(fencedRefusal(fence)).toEqual({
    code: 'SCOPE_FENCED',
    message: expect.stringMatching(/The first reason\. Nothing was changed.* Try again later\.$/) as string,
  })
  expect(retiredRefusal).toEqual({
    code: 'SCOPE_RETIRED',
    message: expect.stringMatching(/Nothing was changed\. .* its next use begins afresh\.$/) as string,
  })
})
