import { chatAct } from '../../support/openai-server.ts'
import { said, type Wire } from './wire.ts'

const begin: Wire['begin'] = (thoughts, text) => [
  ...thoughts.map((reasoning) => chatAct({ reasoning })),
  ...text.map((piece) => chatAct({ text: piece })),
]

const base = {
  modelId: 'test-model',
  path: '/v1/chat/completions',
  keyHeader: ['authorization', 'Bearer secret'],
  showsThoughts: true,
  begin,
  end: [
    chatAct({ finish: 'stop' }),
    chatAct({ usage: { input: 12, output: 9, reasoning: 4, cached: 5 } }),
    { data: '[DONE]' },
  ],
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 4, cachedInputTokens: 5 },
  failure: (message) => ({ data: JSON.stringify({ error: { message, type: 'server_error', code: 'overloaded' } }) }),
  refusal: (message) => ({ error: { message, type: 'invalid_request_error' } }),
} satisfies Partial<Wire>

const followUp = (answer: { readonly [field: string]: string }) => ({
  model: 'test-model',
  stream: true,
  messages: [
    { role: 'user', content: said.prompt },
    { role: 'assistant', content: said.text.join(''), ...answer },
    { role: 'user', content: said.next },
  ],
})

/** Chat completions as any server with the API of OpenAI speaks them. */
export const openAiCompatible: Wire = {
  ...base,
  name: 'openai-compatible',
  config: (origin) => ({ type: 'openai-compatible', baseURL: `${origin}/v1`, apiKey: 'secret' }),
  followUp: followUp({ reasoning_content: said.thoughts.join('') }),
}

/** Chat completions as OpenAI speaks them: without thoughts. */
export const openAiChat: Wire = {
  ...base,
  name: 'openai, chat',
  config: (origin) => ({ type: 'openai', api: 'chat', baseURL: `${origin}/v1`, apiKey: 'secret' }),
  showsThoughts: false,
  begin: (_, text) => begin([], text),
  followUp: followUp({}),
}
