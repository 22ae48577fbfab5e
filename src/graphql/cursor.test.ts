import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asStorageKey } from '../kernel/ids.ts'
import { cursorsOf, integer, scopeMark } from './cursor.ts'
import { RefusalError } from './refusal-error.ts'

const cursors = cursorsOf(['children', scopeMark(asStorageKey('a')), 7], z.object({ updatedAt: integer, generationSequence: integer }))

const refusalOf = (text: string) => {
  try {
    return cursors.decode(text, 'after')
  } catch (error) {
    return error instanceof RefusalError ? error.refusal : error
  }
}

const refused = { code: 'VALIDATION_FAILED', issues: [{ path: ['after'] }] }

test('A3: a cursor names its place', () => {
  fc.assert(
    fc.property(fc.record({ updatedAt: fc.maxSafeNat(), generationSequence: fc.maxSafeNat() }), (place) => {
      expect(cursors.encode(place)).toMatch(/^[\w-]+$/)
      expect(cursors.decode(cursors.encode(place), 'after')).toEqual(place)
    }),
  )
})

test.each([
  ['of another scope', ['children', scopeMark(asStorageKey('b')), 7]],
  ['of another parent', ['children', scopeMark(asStorageKey('a')), 8]],
  ['of another list', ['descendants', scopeMark(asStorageKey('a')), 7]],
])('A3: a cursor %s is refused', (_what, list) => {
  const other = cursorsOf(list, z.object({ updatedAt: integer, generationSequence: integer }))
  expect(refusalOf(other.encode({ updatedAt: 1, generationSequence: 2 }))).toMatchObject(refused)
})

test('A3: what is no cursor is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(refusalOf(text)).toMatchObject(refused)
    }),
  )
})

test.each([
  ['a negative number', { updatedAt: -1, generationSequence: 2 }],
  ['a fraction', { updatedAt: 1.5, generationSequence: 2 }],
  ['an unsafe number', { updatedAt: 2 ** 60, generationSequence: 2 }],
  ['another shape', 'x'],
])('A3: a forged cursor with %s is refused', (_what, place) => {
  const forger = cursorsOf(['children', scopeMark(asStorageKey('a')), 7], z.unknown())
  expect(refusalOf(forger.encode(place))).toMatchObject(refused)
})

test('A3: a cursor of a megabyte is refused', () => {
  expect(refusalOf('A'.repeat(1_000_000))).toMatchObject(refused)
})

test('A3: a cursor does not tell the storage key', () => {
  const text = cursorsOf(['events', scopeMark(asStorageKey('secret-tenant'))], integer).encode(1)
  expect(Buffer.from(text, 'base64url').toString()).not.toContain('secret')
})
