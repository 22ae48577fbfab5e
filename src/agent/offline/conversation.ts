import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isNote } from '../note.ts'
import { parsePrompt, type Request } from './parse-prompt.ts'
import { remember } from './phrases.ts'

/** What the user says now, and said before. */
export interface Conversation {
  readonly requests: readonly Request[]
  readonly said: readonly string[]
}

/** The user's side of a prompt, without what the harness noted there. */
export function conversationOf(prompt: LanguageModelV4Prompt): Conversation {
  const texts = prompt.flatMap((message) => (message.role === 'user' ? message.content : []))
  const own = texts.flatMap((part) => (part.type === 'text' && !isNote(part) ? [part.text] : []))
  return { requests: parsePrompt(own.at(-1) ?? ''), said: own.slice(0, -1) }
}

/** What these requests asked to be remembered. */
export const factsIn = (requests: readonly Request[]): readonly string[] =>
  requests.flatMap(({ phrase, words }) => (phrase === remember ? words : []))
