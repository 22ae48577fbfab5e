import type { Json } from '../../../src/kernel/json.ts'
import type { Act } from '../../support/scripted-server.ts'
import { said, type Wire } from './wire.ts'

const event = (type: string, fields: { readonly [field: string]: Json } = {}): Act => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
})

const delta = (index: number, fields: Json): Act => event('content_block_delta', { index, delta: fields })

const thinking = (pieces: readonly string[]): readonly Act[] => [
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  ...pieces.map((thought) => delta(0, { type: 'thinking_delta', thinking: thought })),
  delta(0, { type: 'signature_delta', signature: 'sealed' }),
  event('content_block_stop', { index: 0 }),
]

/** Anthropic's Messages API. */
export const anthropic: Wire = {
  name: 'anthropic',
  config: (origin) => ({ type: 'anthropic', baseURL: `${origin}/v1`, apiKey: 'secret' }),
  modelId: 'claude-sonnet-4-5',
  path: '/v1/messages',
  keyHeader: ['x-api-key', 'secret'],
  showsThoughts: true,
  begin: (thoughts, text) => [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, cache_read_input_tokens: 5, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    }),
    event('ping'),
    ...(thoughts.length > 0 ? thinking(thoughts) : []),
    event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
    ...text.map((piece) => delta(1, { type: 'text_delta', text: piece })),
  ],
  end: [
    event('content_block_stop', { index: 1 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } }),
    event('message_stop'),
  ],
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 0, cachedInputTokens: 5 },
  failure: (message) => event('error', { error: { type: 'overloaded_error', message } }),
  refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  followUp: {
    model: 'claude-sonnet-4-5',
    stream: true,
    messages: [
      { role: 'user', content: [{ type: 'text', text: said.prompt }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: said.thoughts.join(''), signature: 'sealed' },
          { type: 'text', text: said.text.join('') },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: said.next }] },
    ],
  },
}
