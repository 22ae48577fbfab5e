import { expect, test } from 'vitest'
import { askPermission, admit, emptyContent, enqueue, given, openTool, resolve } from '../../../test/support/content.ts'
import { turned } from './turned.ts'

const calling = given(enqueue('a'), admit('a'), resolve(), openTool(0))

test('M6: a session turns after a change, if it does something else then, and not without a run', () => {
  const { events, before } = calling.when(askPermission('p', null))
  const change = events.slice(0, -1)
  const turn = { type: 'workChanged', event: { type: 'turnedTo', doing: 'AWAITING_PERMISSION', at: 1234 } }
  expect(turned(before, change, 1234)).toEqual([...change, turn])
  expect(turned(before, [], 1234)).toEqual([])
  expect(turned(emptyContent, change, 1234)).toEqual(change)
})
