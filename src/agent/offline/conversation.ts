import type {
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { isNote } from '../note.ts'
import { parsePrompt, type Request } from './parse-prompt.ts'
import { isCalling } from './phrase.ts'
import { remember } from './phrases.ts'

export interface Conversation {
  /** What the user asks for now, and is done: up to a call of tools. */
  readonly done: readonly Request[]
  /** What is still to be done of it. */
  readonly open: readonly Request[]
  /** What the tools returned that were called last. */
  readonly results: readonly LanguageModelV4ToolResultPart[]
  /** What was given to them, by the ids of the calls. */
  readonly inputs: ReadonlyMap<string, unknown>
  /** What the user said before. */
  readonly said: readonly string[]
}

/** The user's side of a prompt, without what the harness noted there, and how far it has been answered. */
export function conversationOf(prompt: LanguageModelV4Prompt): Conversation {
  const said = prompt.flatMap((message, index) => ownTexts(message).map(({ text }) => ({ text, index })))
  const last = said.at(-1)
  const requests = parsePrompt(last?.text ?? '')
  const since = prompt.slice((last?.index ?? -1) + 1)
  const answered = since.findLastIndex(({ role }) => role === 'assistant')
  const results = since.slice(answered + 1).flatMap((message) => (message.role === 'tool' ? message.content : []))
  const place = requestsDone(requests, since)
  return {
    done: requests.slice(0, place),
    open: requests.slice(place),
    results: results.filter((part) => part.type === 'tool-result'),
    inputs: new Map(since.flatMap(callsIn).map(({ toolCallId, input }) => [toolCallId, input])),
    said: said.slice(0, -1).map(({ text }) => text),
  }
}

/** What these requests asked to be remembered. */
export const factsIn = (requests: readonly Request[]): readonly string[] =>
  requests.flatMap(({ phrase, words }) => (phrase === remember ? words : []))

/**
 * How many requests have been done: each answer since ends with the calls of one of them. By the names of the tools, since
 * a request for a tool that was not there led to no call.
 */
function requestsDone(requests: readonly Request[], since: LanguageModelV4Prompt): number {
  const asked = requests.map(askedNames)
  let done = 0
  for (const message of since) {
    const called = namesOf(callsIn(message))
    if (called === '') continue
    const place = asked.indexOf(called, done)
    if (place >= 0) done = place + 1
  }
  return done
}

const namesOf = (calls: readonly { readonly toolName: string }[]): string =>
  calls.map(({ toolName }) => JSON.stringify(toolName)).join()

const askedNames = ({ phrase, words }: Request): string => (isCalling(phrase) ? namesOf(phrase.calls(words)) : '')

const callsIn = ({ role, content }: LanguageModelV4Prompt[number]): readonly LanguageModelV4ToolCallPart[] =>
  role === 'assistant' ? content.filter((part) => part.type === 'tool-call') : []

const ownTexts = ({ role, content }: LanguageModelV4Prompt[number]): readonly LanguageModelV4TextPart[] =>
  role === 'user' ? content.filter((part) => part.type === 'text').filter((part) => !isNote(part)) : []
