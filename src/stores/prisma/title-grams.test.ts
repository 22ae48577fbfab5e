import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiLower } from './ascii-lower.ts'
import { titleGrams, type TitlePiece, titlePieces } from './title-grams.ts'

const characters = ['a', 'b', 'A', ' ', '%', 'é', '題', '🎈', '\u007F', '\u{10FFFF}']
const texts = (maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((found) => found.join(''))

const timesFound = (title: string, { low, high, bytes }: TitlePiece): number =>
  titleGrams(title).filter(({ gram, shared }) => gram >= low && gram <= high && shared < bytes).length

const contains = (title: string, text: string): boolean => asciiLower(title).includes(asciiLower(text))

test('C15: a short text finds exactly the titles that contain it, each once', () => {
  const short = texts(6).filter((text) => text !== '' && Buffer.byteLength(text) <= 6)
  fc.assert(
    fc.property(texts(12), short, (title, text) => {
      const found = titlePieces(text).map((piece) => timesFound(title, piece))
      expect(found).toEqual([contains(title, text) ? 1 : 0])
    }),
    { numRuns: 2000 },
  )
})

test('C15: each piece of a long text finds the titles that contain it, each once', () => {
  fc.assert(
    fc.property(texts(5), texts(60), texts(5), (before, text, after) => {
      fc.pre(Buffer.byteLength(text) > 6)
      const pieces = titlePieces(text)
      expect(pieces.length).toBeGreaterThan(0)
      expect(pieces.length).toBeLessThanOrEqual(16)
      for (const piece of pieces) expect(timesFound(before + text + after, piece)).toBe(1)
    }),
  )
})

test('C15: a title has no more grams than characters, and an empty one has none', () => {
  expect(titleGrams('')).toEqual([])
  expect(titleGrams('x'.repeat(1024))).toHaveLength(6)
  expect(titleGrams('題'.repeat(341))).toHaveLength(2)
  expect(titleGrams('abc')).toEqual([
    { gram: 0x61_62_63_00_00_00, shared: 0 },
    { gram: 0x62_63_00_00_00_00, shared: 0 },
    { gram: 0x63_00_00_00_00_00, shared: 0 },
  ])
})
