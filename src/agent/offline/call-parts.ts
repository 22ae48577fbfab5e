import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { splitWhole } from '../../kernel/text.ts'
import type { ToolAsk } from './phrase.ts'

const DELTA = 256

/** A call as providers stream it: the input in deltas, then the whole. */
export function* callParts(id: string, { toolName, input }: ToolAsk): Generator<LanguageModelV4StreamPart> {
  const json = JSON.stringify(input)
  yield { type: 'tool-input-start', id, toolName }
  for (let at = 0; at < json.length; ) {
    const [whole, rest] = splitWhole(json.slice(at, at + DELTA))
    const delta = whole === '' ? rest : whole
    yield { type: 'tool-input-delta', id, delta }
    at += delta.length
  }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName, input: json }
}
