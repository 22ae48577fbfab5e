import type { Json } from '../../src/kernel/json.ts'
import * as scripted from './scripted-server.ts'

interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning?: number
  readonly cached?: number
}

/** One thing that a streamed reply does, in OpenAI's wire format of streamed chat completions. */
export type Act =
  | { readonly text: string }
  | { readonly reasoning: string }
  /** A piece of a call of a tool. */
  | { readonly call: { readonly index: number; readonly id?: string; readonly name?: string; readonly input: string } }
  /** The `finish_reason`. */
  | { readonly finish: string }
  | { readonly usage: Tokens }
  /** The data of one event, as it is. */
  | { readonly raw: string }
  /** Says nothing until then. Ends early when the client goes away. */
  | { readonly until: Promise<unknown> }
  /** Breaks the connection. */
  | { readonly cut: true }

export type Reply =
  /** Ends with `[DONE]`, unless it was cut. */
  | { readonly stream: readonly Act[] }
  /** Carries `retry-after-ms: 1`, so that a client that tries again does so at once. */
  | { readonly status: number; readonly body: Json }

export interface OpenAiServer extends Omit<scripted.ScriptedServer, 'origin' | 'respondWith'> {
  /** The base URL for a provider. */
  readonly url: string
  /** Replies to the coming requests in this order; the last one replies to all that follow. */
  respondWith(...replies: readonly [Reply, ...Reply[]]): void
}

/** The usual reply: a text in pieces, a finish, token counts. */
export const answering = (...pieces: readonly string[]): Reply => ({
  stream: [...pieces.map((text) => ({ text })), { finish: 'stop' }, { usage: { input: 10, output: pieces.length } }],
})

/** A local server that speaks OpenAI's chat completions, as its script says. Replies 503 as long as there is none. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const server = await scripted.startScriptedServer()
  return {
    ...server,
    url: `${server.origin}/v1`,
    respondWith: (first, ...rest) => server.respondWith(written(first), ...rest.map(written)),
  }
}

const written = (reply: Reply): scripted.Reply =>
  'status' in reply
    ? { ...reply, headers: { 'retry-after-ms': '1' } }
    : { stream: [...reply.stream.map(chatAct), { data: '[DONE]' }] }

/** An act as server-sent events. */
export function chatAct(act: Act): scripted.Act {
  if ('until' in act || 'cut' in act) return act
  if ('raw' in act) return { data: act.raw }
  if ('text' in act) return chunk({ choices: [choice({ content: act.text })] })
  if ('reasoning' in act) return chunk({ choices: [choice({ reasoning_content: act.reasoning })] })
  if ('finish' in act) return chunk({ choices: [{ ...choice({}), finish_reason: act.finish }] })
  if ('call' in act) return chunk({ choices: [choice({ tool_calls: [toolCall(act.call)] })] })
  const { input, output, reasoning = 0, cached = 0 } = act.usage
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  return chunk({ choices: [], usage })
}

const toolCall = ({ index, id, name, input }: Extract<Act, { call: unknown }>['call']): Json => ({
  index,
  ...(id !== undefined && { id, type: 'function' }),
  function: { ...(name !== undefined && { name }), arguments: input },
})

const choice = (delta: { readonly [key: string]: Json }) => ({ index: 0, delta, finish_reason: null })

const chunk = (fields: { readonly [key: string]: Json }): scripted.Act => ({
  data: JSON.stringify({ id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'test-model', ...fields }),
})
