import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../test/support/any-text.ts'
import { cutUtf8, splitWhole, storable, utf8Length } from './text.ts'

const isHigh = (unit: string) => /^[\uD800-\uDBFF]$/.test(unit)
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

test.each([
  ['', 0],
  ['a', 1],
  ['é', 2],
  ['€', 3],
  ['😀', 4],
  ['\uD83D', 3],
  ['\uDE00', 3],
  ['\uDE00\uD83D', 6],
])('K1: %j has %i bytes', (text, bytes) => {
  expect(utf8Length(text)).toBe(bytes)
})

test('K1: a length is that of the encoded bytes, whatever the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Length(text)).toBe(Buffer.from(text, 'utf8').length)
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
  )
})

test('K2: a cut text is a prefix of whole code points that fits, and the next code point would not fit', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: -1, max: 60 }), (text, max) => {
      const cut = cutUtf8(text, max)
      const codePoints = Array.from(text)
      const kept = Array.from(cut).length
      expect(cut).toBe(codePoints.slice(0, kept).join(''))
      expect(Buffer.from(cut).length).toBeLessThanOrEqual(Math.max(0, max))
      const next = codePoints[kept]
      expect(next === undefined || Buffer.from(cut + next).length > max).toBe(true)
    }),
  )
})

test('K2: a text that fits is not cut', () => {
  expect(cutUtf8('a😀', 5)).toBe('a😀')
  expect(cutUtf8('a😀', 4)).toBe('a')
})

test('K3: pieces of a stream that are split off whole never tear a surrogate pair, and nothing is lost', () => {
  fc.assert(
    fc.property(fc.array(anyText), (pieces) => {
      let held = ''
      const wholes: string[] = []
      for (const piece of pieces) {
        const [whole, rest] = splitWhole(held + piece)
        expect(rest === '' || isHigh(rest)).toBe(true)
        held = rest
        wholes.push(whole)
      }
      const all = [...wholes, held]
      expect(all.join('')).toBe(pieces.join(''))
      expect(sum(all.map(utf8Length))).toBe(utf8Length(pieces.join('')))
    }),
  )
})

test.each([
  ['', ['', '']],
  ['ab', ['ab', '']],
  ['a\uD83D', ['a', '\uD83D']],
  ['\uD800', ['', '\uD800']],
  ['\uDBFF', ['', '\uDBFF']],
  ['a\uD7FF', ['a\uD7FF', '']],
  ['a😀', ['a😀', '']],
  ['a\uDC00', ['a\uDC00', '']],
])('K3: of %j what is whole is split off', (text, split) => {
  expect(splitWhole(text)).toEqual(split)
})

test('K4: text to be stored is well-formed, without NUL, and otherwise as it was', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const stored = storable(text)
      expect(stored.isWellFormed()).toBe(true)
      expect(stored).not.toContain('\0')
      expect(storable(stored)).toBe(stored)
      const kept = Array.from(text, (it) => (it === '\0' || /^[\uD800-\uDFFF]$/.test(it) ? '\uFFFD' : it))
      expect(stored).toBe(kept.join(''))
    }),
  )
})
