import { expect, test } from 'vitest'
import { asSessionId, asSessionKey } from '../../kernel/ids.ts'
import { utf8Length } from '../../kernel/text.ts'
import type { Part, PartBody } from '../message/message.ts'
import { type ChildEnd, resultOf } from './result.ts'

const partOf = (body: PartBody, partIndex: number): Part => ({
  sessionKey: asSessionKey(1),
  messageIndex: 1,
  partIndex,
  partId: `p${partIndex}` as Part['partId'],
  status: 'COMPLETED',
  body,
  startedAt: 1,
  finishedAt: 2,
})

const text = (value: string): PartBody => ({ kind: 'text', text: value })

const endWith = (fields: Partial<ChildEnd>): ChildEnd => ({
  sessionId: asSessionId('child'),
  status: 'COMPLETED',
  error: null,
  parts: [],
  superseded: [],
  model: { provider: 'offline', id: 'echo' },
  ...fields,
})

const textOf = (fields: Partial<ChildEnd>): string => {
  const result = resultOf(endWith(fields))
  const output = result.status === 'COMPLETED' ? result.output : null
  return (output as { text: string }).text
}

test('G40: the answer is all text of the child in order, nothing between and nothing else', () => {
  const bodies = [text('one'), { kind: 'reasoning', text: 'hm' } as const, text(' two'), text('three')]
  expect(resultOf(endWith({ parts: bodies.map(partOf) }))).toEqual({
    status: 'COMPLETED',
    output: { taskId: 'child', status: 'completed', text: 'one twothree', model: 'offline:echo' },
  })
})

test('G40: text that was cut off and repeated is left out', () => {
  const parts = [text('on'), text('one'), text(' two')].map(partOf)
  expect(textOf({ parts, superseded: [{ from: 0, to: 1 }] })).toBe('one two')
})

test('G40: more than 64 KiB of text are cut at a code point', () => {
  const cut = textOf({ parts: [text('x'), text('🎈'.repeat(20_000))].map(partOf) })
  expect(cut.isWellFormed()).toBe(true)
  expect(utf8Length(cut)).toBe(65_533)
  expect(textOf({ parts: [partOf(text('x'.repeat(65_536)), 0)] })).toHaveLength(65_536)
})

test('G48: a child that has used its budget up gives a partial result', () => {
  const error = { code: 'BUDGET_EXCEEDED', message: 'It is used up.', source: 'harness' }
  expect(resultOf(endWith({ status: 'FAILED', error, parts: [partOf(text('so far'), 0)] }))).toMatchObject({
    status: 'COMPLETED',
    output: { status: 'partial', text: 'so far' },
  })
})

test('G49: any other end of a child is an error of its call', () => {
  const error = { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' }
  expect(resultOf(endWith({ status: 'FAILED', error, model: null }))).toEqual({
    status: 'FAILED',
    error: { code: 'SUBAGENT_FAILED', message: 'The subagent failed. The model call failed.', source: 'harness' },
  })
  expect(resultOf(endWith({ status: 'CANCELLED', error: { ...error, code: 'ABORTED', message: 'Enough.' } }))).toEqual({
    status: 'FAILED',
    error: { code: 'SUBAGENT_CANCELLED', message: 'The subagent was stopped. Enough.', source: 'harness' },
  })
  expect(resultOf(endWith({ status: 'FAILED', error: null }))).toMatchObject({ error: { message: 'The subagent failed.' } })
})

test('G48: of a child without a model none is named', () => {
  expect(resultOf(endWith({ model: null }))).toMatchObject({ output: { model: null } })
})
