import type { Clock } from '../../ports/clock.ts'

/** A piece of an answer: one delta. Pieces of one kind in a row are one block. */
export interface Piece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/** What a phrase may use for its answer. */
export interface Turn {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** What the user asked to be remembered so far. */
  readonly facts: readonly string[]
  /** The user's texts before this one. */
  readonly said: readonly string[]
}

/** One thing that the offline model understands. */
export interface Phrase {
  /** How to say it. */
  readonly form: string
  readonly pattern: RegExp
  /** Gets what the groups of the pattern caught. May throw: the call fails then, after what was said. */
  readonly answer: (words: readonly string[], turn: Turn) => Iterable<Piece> | AsyncIterable<Piece>
}
