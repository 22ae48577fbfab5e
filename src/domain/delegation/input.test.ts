import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../kernel/json.ts'
import { checkDelegation, DELEGATE } from './input.ts'

const good = { description: 'Find it', prompt: 'Find it in\nthe archive.', subagentType: 'researcher' }
const messageOf = (input: Json): string => {
  const checked = checkDelegation(input)
  return checked.ok ? '' : checked.message
}

test('G53: what can be delegated is taken as it is', () => {
  expect(DELEGATE).toBe('delegate')
  expect(checkDelegation(good)).toEqual({ ok: true, input: good })
  expect(checkDelegation({ ...good, taskId: 'a' })).toEqual({ ok: true, input: { ...good, taskId: 'a' } })
})

test.each<[unknown: string, input: Json, message: string]>([
  ['no object', 'delegate', 'the input must be an object'],
  ['a list', [], 'the input must be an object'],
  ['nothing', null, 'the input must be an object'],
  ['an empty object', {}, 'description is missing; prompt is missing; subagentType is missing'],
  ['an unknown field', { ...good, model: 'x' }, '"model" is not a field'],
  ['a name of every object', { ...good, constructor: 'x' }, '"constructor" is not a field'],
  ['no text', { ...good, prompt: 1, taskId: null }, 'prompt must be text; taskId must be text'],
  ['blanks', { ...good, description: ' \n', taskId: '' }, 'description must not be blank; taskId must not be blank'],
  ['a lone surrogate', { ...good, description: '\uD800' }, 'description must be well-formed Unicode: it has a lone surrogate'],
  ['NUL', { ...good, subagentType: 'a\0' }, 'subagentType must not contain control characters other than tab, line feed and carriage return'],
  [
    'too much of everything',
    { description: 'é'.repeat(129), prompt: 'x'.repeat(65_537), subagentType: 'x'.repeat(129), taskId: 'x'.repeat(513) },
    'description must have at most 256 UTF-8 bytes: it has 258; prompt must have at most 65536 UTF-8 bytes: it has 65537; ' +
      'subagentType must have at most 128 UTF-8 bytes: it has 129; taskId must have at most 512 UTF-8 bytes: it has 513',
  ],
])('G53: every fault is named of %s', (_, input, message) => {
  expect(messageOf(input)).toBe(message)
})

test('G53: texts at their limits are taken', () => {
  const input = { description: 'é'.repeat(128), prompt: 'x'.repeat(65_536), subagentType: 'x'.repeat(128), taskId: 'x'.repeat(512) }
  expect(checkDelegation(input)).toEqual({ ok: true, input })
})

test('G53: of whatever is taken each field is text that is not blank, and there is no other', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom<Json>('', ' ', null, 1, []))
  const name = fc.constantFrom('description', 'prompt', 'subagentType', 'taskId', 'other')
  fc.assert(
    fc.property(fc.dictionary(name, value), (given) => {
      const checked = checkDelegation(given)
      const faults = Object.entries(given).filter(([, text]) => typeof text !== 'string' || text.trim() === '')
      const isWhole = ['description', 'prompt', 'subagentType'].every((field) => field in given) && !('other' in given)
      expect(checked.ok && (faults.length > 0 || !isWhole)).toBe(false)
    }),
  )
})
