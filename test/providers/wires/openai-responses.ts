import type { Json } from '../../../src/kernel/json.ts'
import type { Act } from '../../support/scripted-server.ts'
import { said, type Wire } from './wire.ts'

const event = (type: string, fields: { readonly [field: string]: Json }): Act => ({
  event: type,
  data: JSON.stringify({ type, sequence_number: 0, ...fields }),
})

const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [], status: 'in_progress' }
const response = { id: 'resp_1', created_at: 1, model: 'gpt-5' }

/** Thoughts in a summary of one part; `sealed` is their content, which only OpenAI can read. */
export const thinking = (pieces: readonly string[], sealed: string | null): readonly Act[] => [
  event('response.output_item.added', { output_index: 0, item: { ...thought, encrypted_content: sealed && 'first' } }),
  event('response.reasoning_summary_part.added', { item_id: 'rs_1', output_index: 0, summary_index: 0 }),
  ...pieces.map((delta) =>
    event('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index: 0, delta }),
  ),
  event('response.reasoning_summary_part.done', { item_id: 'rs_1', output_index: 0, summary_index: 0 }),
  event('response.output_item.done', { output_index: 0, item: { ...thought, encrypted_content: sealed } }),
]

/** OpenAI's Responses API. */
export const openAiResponses: Wire = {
  name: 'openai, responses',
  config: (origin) => ({ type: 'openai', baseURL: `${origin}/v1`, apiKey: 'secret' }),
  modelId: 'gpt-5',
  path: '/v1/responses',
  keyHeader: ['authorization', 'Bearer secret'],
  showsThoughts: true,
  begin: (thoughts, text) => [
    event('response.created', { response }),
    ...(thoughts.length > 0 ? thinking(thoughts, 'sealed') : []),
    event('response.output_item.added', { output_index: 1, item: message }),
    ...text.map((delta) => event('response.output_text.delta', { item_id: 'msg_1', output_index: 1, delta })),
  ],
  end: [
    event('response.output_item.done', { output_index: 1, item: { ...message, status: 'completed' } }),
    event('response.completed', {
      response: {
        ...response,
        usage: {
          input_tokens: 12,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens: 9,
          output_tokens_details: { reasoning_tokens: 4 },
        },
      },
    }),
  ],
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 4, cachedInputTokens: 5 },
  failure: (text) => event('error', { code: 'server_error', message: text, param: null }),
  refusal: (text) => ({ error: { message: text, type: 'invalid_request_error', param: null, code: null } }),
  followUp: {
    model: 'gpt-5',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [
      { role: 'user', content: [{ type: 'input_text', text: said.prompt }] },
      {
        type: 'reasoning',
        encrypted_content: 'sealed',
        summary: [{ type: 'summary_text', text: said.thoughts.join('') }],
      },
      { role: 'assistant', content: said.text.join('') },
      { role: 'user', content: [{ type: 'input_text', text: said.next }] },
    ],
  },
}
