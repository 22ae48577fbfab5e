import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Length } from '../../kernel/text.ts'
import { CallIds } from './call-ids.ts'

test('X2: an id that a provider uses again gets a number, also when one with that number is there', () => {
  const ids = new CallIds([])
  const given = ['a', 'a', 'b', 'a#3', 'a', 'a'].map((id) => ids.next(id))
  expect(given).toEqual(['a', 'a#2', 'b', 'a#3', 'a#4', 'a#5'])
})

test('X2: ids of earlier attempts are not given again', () => {
  const ids = new CallIds(['a', 'a#2'])
  expect([ids.next('a'), ids.next('b'), ids.next('a')]).toEqual(['a#3', 'b', 'a#4'])
})

test('X2: a call without an id gets one, and a long or broken one is cut and made storable', () => {
  const ids = new CallIds([])
  expect([ids.next(''), ids.next('')]).toEqual(['call', 'call#2'])
  const [first, second] = [ids.next('€'.repeat(1000)), ids.next('€'.repeat(1000))]
  expect([utf8Length(first), second]).toEqual([255, `${first}#2`])
  expect(ids.next('a\0\uD83C').isWellFormed()).toBe(true)
})

test('X2: whatever a provider calls them, the ids of a run are different', () => {
  const names = fc.array(fc.oneof(fc.constantFrom('a', 'a#2', 'a#3', '', 'call'), fc.string({ unit: 'binary' })))
  fc.assert(
    fc.property(names, names, (taken, asked) => {
      const ids = new CallIds(taken)
      const given = asked.map((id) => ids.next(id))
      expect(new Set([...taken, ...given]).size).toBe(new Set(taken).size + given.length)
    }),
  )
})
