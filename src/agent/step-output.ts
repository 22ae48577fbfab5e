import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import type { Json } from '../kernel/json.ts'

/** The messages that a model answered with, as the SDK sends them back. */
export type ResponseMessage = AssistantModelMessage | ToolModelMessage

type Content = Exclude<ResponseMessage['content'], string>[number]

/**
 * What the agent log keeps of a step: the messages, with all that their provider wants to see again. Results that the SDK
 * made up for calls that it could not read are left out: every result is the harness' own.
 */
export const stepOutput = (provider: string, messages: readonly ModelMessage[]): Json =>
  JSON.parse(JSON.stringify({ provider, messages: messages.filter(({ role }) => role !== 'tool').map(({ role, content }) => ({ role, content })) })) as Json

/**
 * The messages of a step's output for a provider, without what says nothing: providers refuse empty messages. Thoughts,
 * and what a provider hung on its answer, are for that provider alone: another cannot read them and may refuse them.
 */
export function messagesOf(output: Json, provider: string): readonly ResponseMessage[] {
  const { messages, provider: author = provider } = output as {
    readonly provider?: string
    readonly messages: readonly ResponseMessage[]
  }
  return messages.flatMap((message) => {
    const parts = partsOf(message)
    const shared = author === provider ? parts : parts.filter((part) => !isThinking(part)).map(withoutOptions)
    const content = shared.filter(hasContent).map(withObjectInput)
    return content.every(isThinking) ? [] : [{ ...message, content } as ResponseMessage]
  })
}

/** An input that could not be read is text; providers take objects only. */
function withObjectInput(part: Content): Content {
  if (part.type !== 'tool-call' || (typeof part.input === 'object' && part.input !== null && !Array.isArray(part.input))) return part
  return { ...part, input: { invalid: part.input } }
}

const partsOf = ({ content }: ResponseMessage): readonly Content[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const hasContent = (part: Content): boolean =>
  !(part.type === 'text' || part.type === 'reasoning') || part.text !== '' || part.providerOptions !== undefined

/** An answer of thoughts alone is none: several providers refuse it as a message of the past. */
const isThinking = ({ type }: Content): boolean => type === 'reasoning' || type === 'reasoning-file'

function withoutOptions(part: Content): Content {
  if (!('providerOptions' in part)) return part
  const { providerOptions: _, ...rest } = part
  return rest
}
