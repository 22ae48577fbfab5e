import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

const ID = /^offline-(\d{1,9})$/

/** Ids for tool calls: the same for the same prompt, and none that is in it already. */
export function callIds(prompt: LanguageModelV4Prompt): () => string {
  let last = 0
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue
    for (const part of content) {
      if (part.type === 'tool-call') last = Math.max(last, Number(ID.exec(part.toolCallId)?.[1] ?? 0))
    }
  }
  return () => `offline-${++last}`
}
