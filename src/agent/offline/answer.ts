import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { utf8Length } from '../../kernel/text.ts'
import type { Clock } from '../../ports/clock.ts'
import { conversationOf, factsIn } from './conversation.ts'
import { parsePrompt } from './parse-prompt.ts'
import type { Piece } from './phrase.ts'
import { puzzled } from './phrases.ts'
import { offlineUsage } from './tokens.ts'

/** A network brings some deltas at a time, and lets others run in between. */
const PIECES_PER_BREATH = 16

export interface Question {
  readonly prompt: LanguageModelV4Prompt
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * The whole stream of an answer. Each request of the prompt is answered by blocks of its own. A request that fails ends
 * the stream by an error part, as providers do. Rejects with the signal's reason as soon as it aborts.
 */
export async function* answer(question: Question): AsyncGenerator<LanguageModelV4StreamPart> {
  const { prompt, clock, signal } = question
  const streamed = { text: 0, reasoning: 0 }
  let block: { readonly kind: Piece['kind']; readonly id: string } | undefined
  let blocks = 0
  let pieces = 0
  yield { type: 'stream-start', warnings: [] }
  try {
    for await (const piece of piecesOf(question)) {
      if (pieces++ % PIECES_PER_BREATH === 0) await clock.breathe()
      signal.throwIfAborted()
      if (block && block.kind !== (piece === 'end' ? undefined : piece.kind)) {
        yield { type: `${block.kind}-end`, id: block.id }
        block = undefined
      }
      if (piece === 'end') continue
      if (!block) {
        block = { kind: piece.kind, id: `${blocks++}` }
        yield { type: `${block.kind}-start`, id: block.id }
      }
      streamed[piece.kind] += utf8Length(piece.text)
      yield { type: `${block.kind}-delta`, id: block.id, delta: piece.text }
    }
  } catch (error) {
    signal.throwIfAborted()
    yield { type: 'error', error }
    return
  }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: offlineUsage(prompt, streamed) }
}

async function* piecesOf({ prompt, clock, signal }: Question): AsyncGenerator<Piece | 'end'> {
  const { requests, said } = conversationOf(prompt)
  const facts = [...factsIn(said.flatMap(parsePrompt))]
  for (const request of requests) {
    const { text, phrase, words } = request
    yield* phrase ? phrase.answer(words, { clock, signal, said, facts }) : puzzled(text)
    yield 'end'
    facts.push(...factsIn([request]))
  }
}
