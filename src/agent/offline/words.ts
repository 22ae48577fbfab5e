import type { Piece } from './phrase.ts'

const WORD = /\s*\S+(?:\s+$)?/g

/** A text word by word, as a model would stream it. Together the pieces are the text. */
export const words = (text: string, kind: Piece['kind'] = 'text'): readonly Piece[] =>
  (text.match(WORD) ?? []).map((word) => ({ kind, text: word }))
