import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import { utf8Length } from '../../kernel/text.ts'
import { escapedText } from './escaped-text.ts'
import { isStorable } from './storable-text.ts'

const texts = fc.oneof(anyText, fc.string({ unit: fc.constantFrom('\\', '\0', '0', 'd', '8', '3', 'c', '\uD83C', '\uDF88') }))

test('any text can be stored, comes back, and takes at most twice its bytes', () => {
  const property = fc.property(texts, (text) => {
    const escaped = escapedText.encode(text)
    expect(isStorable(escaped)).toBe(true)
    expect(escapedText.decode(escaped)).toBe(text)
    expect(utf8Length(escaped)).toBeLessThanOrEqual(2 * utf8Length(text))
  })
  fc.assert(property, { numRuns: 1000 })
})

test('usual texts are stored as they are', () => {
  for (const text of ['', 'fs.write', 'Ünïcödé 🎈', 'a b\n']) expect(escapedText.encode(text)).toBe(text)
  expect(escapedText.encode('a\\\0\uD83C')).toBe(String.raw`a\\\0\d83c`)
})
