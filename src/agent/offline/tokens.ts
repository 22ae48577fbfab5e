import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider'
import { utf8Length } from '../../kernel/text.ts'

const BYTES_PER_TOKEN = 4

const tokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** UTF-8 bytes of what was streamed. */
export interface Streamed {
  readonly text: number
  readonly reasoning: number
}

/** Counts as a tokeniser would, roughly, but always the same: four bytes of text are a token. */
export function offlineUsage(prompt: LanguageModelV4Prompt, streamed: Streamed): LanguageModelV4Usage {
  const input = tokens(prompt.reduce((bytes, message) => bytes + textBytes(message), 0))
  const text = tokens(streamed.text)
  const reasoning = tokens(streamed.reasoning)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
  }
}

const textBytes = ({ content }: LanguageModelV4Prompt[number]): number =>
  typeof content === 'string'
    ? utf8Length(content)
    : content.reduce((bytes, part) => bytes + partBytes(part), 0)

type Part = Exclude<LanguageModelV4Prompt[number]['content'], string>[number]

function partBytes(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return utf8Length(part.text)
    case 'tool-call':
      return utf8Length(JSON.stringify(part.input ?? null))
    case 'tool-result':
      return utf8Length(JSON.stringify(part.output))
    default:
      return 0
  }
}
