import type { Json } from '../../kernel/json.ts'
import type { Clock } from '../../ports/clock.ts'

/** A piece of an answer: one delta. Pieces of one kind in a row are one block. */
export interface Piece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/** A tool that is asked for. */
export interface ToolAsk {
  readonly toolName: string
  readonly input: Json
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

interface Understood {
  /** How to say it. */
  readonly form: string
  readonly pattern: RegExp
}

/** Something that the offline model answers by itself. */
export interface Saying extends Understood {
  /** Gets what the groups of the pattern caught. May throw: the call fails then, after what was said. */
  readonly answer: (words: readonly string[], turn: Turn) => Iterable<Piece> | AsyncIterable<Piece>
}

/** Something that tools do, all of them at once. */
export interface Calling extends Understood {
  /** Depends on the words alone. None when there is something wrong with them, which `answer` tells. */
  readonly calls: (words: readonly string[]) => readonly ToolAsk[]
  readonly answer: Saying['answer']
}

/** One thing that the offline model understands. */
export type Phrase = Saying | Calling

export const isCalling = (phrase: Phrase | null): phrase is Calling => phrase !== null && 'calls' in phrase
