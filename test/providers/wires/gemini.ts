import type { Json } from '../../../src/kernel/json.ts'
import type { Act } from '../../support/scripted-server.ts'
import { said, type Wire } from './wire.ts'

const chunk = (fields: { readonly [field: string]: Json }): Act => ({
  data: JSON.stringify({ modelVersion: 'gemini-2.5-flash', responseId: 'r1', ...fields }),
})

const parts = (...content: readonly Json[]): Act =>
  chunk({ candidates: [{ content: { role: 'model', parts: content }, index: 0 }] })

const sealed = { thoughtSignature: 'sealed' }

/** Google's Gemini by `streamGenerateContent`. */
export const gemini: Wire = {
  name: 'google',
  config: (origin) => ({ type: 'google', baseURL: `${origin}/v1beta`, apiKey: 'secret' }),
  modelId: 'gemini-2.5-flash',
  path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  keyHeader: ['x-goog-api-key', 'secret'],
  showsThoughts: true,
  begin: (thoughts, text) => [
    ...thoughts.map((piece) => parts({ text: piece, thought: true })),
    ...text.map((piece, at) => parts({ text: piece, ...(at === 0 && thoughts.length > 0 && sealed) })),
  ],
  end: [
    chunk({
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 12,
        cachedContentTokenCount: 5,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 4,
        totalTokenCount: 21,
      },
    }),
  ],
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 4, cachedInputTokens: 5 },
  failure: (message) => ({ data: JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } }) }),
  refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  followUp: {
    contents: [
      { role: 'user', parts: [{ text: said.prompt }] },
      {
        role: 'model',
        parts: [
          { text: said.thoughts.join(''), thought: true },
          { text: said.text.join(''), thoughtSignature: 'sealed' },
        ],
      },
      { role: 'user', parts: [{ text: said.next }] },
    ],
  },
}
