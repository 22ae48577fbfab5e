import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { utf8Length } from '../../kernel/text.ts'
import type { Clock } from '../../ports/clock.ts'
import { callIds } from './call-ids.ts'
import { callParts } from './call-parts.ts'
import { conversationOf, factsIn } from './conversation.ts'
import { parsePrompt, type Request } from './parse-prompt.ts'
import { isCalling, type Piece, type ToolAsk } from './phrase.ts'
import { puzzled } from './phrases.ts'
import { quoted } from './quoted.ts'
import { reported } from './reported.ts'
import { offlineUsage } from './tokens.ts'
import { words } from './words.ts'

/** A network brings some deltas at a time, and lets others run in between. */
const PIECES_PER_BREATH = 16

export interface Question {
  readonly prompt: LanguageModelV4Prompt
  /** The names of the tools that may be called. */
  readonly tools: readonly string[]
  readonly clock: Clock
  readonly signal: AbortSignal
}

type Finish = Extract<LanguageModelV4StreamPart, { readonly type: 'finish' }>['finishReason']

/**
 * The whole stream of an answer. Each request of the prompt is answered by blocks of its own, up to the first that calls
 * tools; the answer to their results goes on behind it. A request that fails ends the stream by an error part, as providers
 * do. Rejects with the signal's reason as soon as it aborts.
 */
export async function* answer(question: Question): AsyncGenerator<LanguageModelV4StreamPart> {
  const { prompt, clock, signal } = question
  const streamed = { text: 0, reasoning: 0 }
  const nextId = callIds(prompt)
  let block: { readonly kind: Piece['kind']; readonly id: string } | undefined
  let blocks = 0
  let pieces = 0
  let reason: Finish['unified'] = 'stop'
  yield { type: 'stream-start', warnings: [] }
  try {
    for await (const piece of piecesOf(question)) {
      if (pieces++ % PIECES_PER_BREATH === 0) await clock.breathe()
      signal.throwIfAborted()
      const kind = typeof piece === 'object' && 'kind' in piece ? piece.kind : undefined
      if (block && block.kind !== kind) {
        yield { type: `${block.kind}-end`, id: block.id }
        block = undefined
      }
      if (piece === 'end') continue
      if ('toolName' in piece) {
        streamed.text += utf8Length(JSON.stringify(piece.input))
        reason = 'tool-calls'
        yield* callParts(nextId(), piece)
        continue
      }
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
  yield { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: offlineUsage(prompt, streamed) }
}

/** The names of the tools that a call of a model may use. */
export const toolsOf = ({ tools = [], toolChoice }: LanguageModelV4CallOptions): readonly string[] =>
  toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name)

async function* piecesOf({ prompt, tools, clock, signal }: Question): AsyncGenerator<Piece | ToolAsk | 'end'> {
  const { done, open, results, inputs, said } = conversationOf(prompt)
  const facts = [...factsIn(said.flatMap(parsePrompt)), ...factsIn(done)]
  for (const result of results) {
    yield* reported(result, inputs.get(result.toolCallId))
    yield 'end'
  }
  for (const request of open) {
    const { text, phrase, words: caught } = request
    const calls = callsOf(request)
    const missing = calls.find(({ toolName }) => !tools.includes(toolName))
    if (missing) yield* words(withoutTool(missing, tools))
    else if (calls.length > 0) return yield* calls
    else yield* phrase ? phrase.answer(caught, { clock, signal, said, facts }) : puzzled(text)
    yield 'end'
    facts.push(...factsIn([request]))
  }
}

const callsOf = ({ phrase, words: caught }: Request): readonly ToolAsk[] => (isCalling(phrase) ? phrase.calls(caught) : [])

const withoutTool = ({ toolName }: ToolAsk, tools: readonly string[]): string =>
  `I am the offline model: there is no tool ${quoted(toolName)} here, ` +
  (tools.length === 0 ? 'and no other.' : `only ${tools.slice(0, MAX_NAMED).join(', ')}${tools.length > MAX_NAMED ? ', …' : ''}.`)

const MAX_NAMED = 50
