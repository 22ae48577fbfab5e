import { asciiLower } from './ascii-lower.ts'

/**
 * The grams of titles: six bytes of UTF-8 from a character on, filled up with zeros at the end of the title, as one
 * number. Numbers sort alike in every database, and those that begin with the same bytes lie in one range: so a text of
 * at most six bytes is in the titles that have a gram in its range, and nowhere else. A longer text is in no title that
 * lacks one of its pieces. No title has NUL, so the filling is no text.
 */

const GRAM = 6
/** Pieces of a long text that are looked for: enough for one of them to be rare if the text is. */
const MAX_PIECES = 16

export interface TitleGram {
  readonly gram: number
  /** How many bytes it has in common with the gram before it: a text of more bytes finds the title here, and once. */
  readonly shared: number
}

/** The grams of a title, each once, ascending. */
export function titleGrams(title: string): readonly TitleGram[] {
  const bytes = Buffer.from(asciiLower(title))
  const filled = Buffer.concat([bytes, Buffer.alloc(GRAM)])
  const grams = characters(bytes).map((start) => filled.readUIntBE(start, GRAM))
  const sorted = [...new Set(grams)].toSorted((a, b) => a - b)
  return sorted.map((gram, i) => ({ gram, shared: commonBytes(sorted[i - 1], gram) }))
}

/** Grams of titles that have a piece of a text. */
export interface TitlePiece {
  readonly low: number
  /** Inclusive. */
  readonly high: number
  readonly bytes: number
}

/** The pieces of a text that is not empty; every title that contains the text has a gram in the range of each. */
export function titlePieces(text: string): readonly TitlePiece[] {
  const bytes = Buffer.from(asciiLower(text))
  if (bytes.length <= GRAM) return [pieceAt(bytes, 0, bytes.length)]
  const starts = characters(bytes).filter((start) => start <= bytes.length - GRAM)
  const step = Math.ceil(starts.length / MAX_PIECES)
  return starts.filter((_, i) => i % step === 0).map((start) => pieceAt(bytes, start, GRAM))
}

function pieceAt(bytes: Buffer, start: number, length: number): TitlePiece {
  const room = 256 ** (GRAM - length)
  const low = bytes.readUIntBE(start, length) * room
  return { low, high: low + room - 1, bytes: length }
}

/** Where the characters begin. */
const characters = (bytes: Buffer): readonly number[] =>
  Array.from(bytes.keys()).filter((i) => ((bytes[i] ?? 0) & 0b1100_0000) !== 0b1000_0000)

function commonBytes(before: number | undefined, gram: number): number {
  if (before === undefined) return 0
  let common = GRAM
  for (let [a, b] = [before, gram]; a !== b; common -= 1) [a, b] = [Math.floor(a / 256), Math.floor(b / 256)]
  return common
}
