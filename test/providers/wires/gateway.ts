import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Act } from '../../support/scripted-server.ts'
import { said, type Wire } from './wire.ts'

const part = (streamed: LanguageModelV4StreamPart): Act => ({ data: JSON.stringify(streamed) })

const providerMetadata = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } }

const thinking = (pieces: readonly string[]): readonly Act[] => [
  part({ type: 'reasoning-start', id: 'rs_1' }),
  ...pieces.map((delta) => part({ type: 'reasoning-delta', id: 'rs_1', delta })),
  part({ type: 'reasoning-end', id: 'rs_1', providerMetadata }),
]

/** Vercel's AI gateway, which speaks the SDK's own stream parts. */
export const gateway: Wire = {
  name: 'gateway',
  config: (origin) => ({ type: 'gateway', baseURL: `${origin}/v4/ai`, apiKey: 'secret' }),
  modelId: 'openai/gpt-5',
  path: '/v4/ai/language-model',
  keyHeader: ['authorization', 'Bearer secret'],
  showsThoughts: true,
  begin: (thoughts, text) => [
    part({ type: 'stream-start', warnings: [] }),
    ...(thoughts.length > 0 ? thinking(thoughts) : []),
    part({ type: 'text-start', id: 'msg_1' }),
    ...text.map((delta) => part({ type: 'text-delta', id: 'msg_1', delta })),
  ],
  end: [
    part({ type: 'text-end', id: 'msg_1' }),
    part({
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 12, noCache: 7, cacheRead: 5, cacheWrite: undefined },
        outputTokens: { total: 9, text: 5, reasoning: 4 },
      },
    }),
  ],
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 4, cachedInputTokens: 5 },
  failure: (message) => part({ type: 'error', error: { message, type: 'internal_server_error' } }),
  refusal: (message) => ({ error: { message, type: 'invalid_request_error' } }),
  followUp: {
    prompt: [
      { role: 'user', content: [{ type: 'text', text: said.prompt }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: said.thoughts.join(''), providerOptions: providerMetadata },
          { type: 'text', text: said.text.join('') },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: said.next }] },
    ],
  },
}
