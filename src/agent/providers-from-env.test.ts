import { expect, test } from 'vitest'
import { providersFromEnv } from './providers-from-env.ts'

test('without variables every provider is there, without a key', () => {
  expect(providersFromEnv({})).toEqual({
    openai: { type: 'openai' },
    anthropic: { type: 'anthropic' },
    google: { type: 'google' },
    gateway: { type: 'gateway' },
  })
})

test('each provider has its own key and no other', () => {
  const env = {
    OPENAI_API_KEY: 'o',
    ANTHROPIC_API_KEY: 'a',
    GOOGLE_GENERATIVE_AI_API_KEY: 'g',
    AI_GATEWAY_API_KEY: 'v',
    OLLAMA_API_KEY: 'x',
  }
  expect(providersFromEnv(env)).toEqual({
    openai: { type: 'openai', apiKey: 'o' },
    anthropic: { type: 'anthropic', apiKey: 'a' },
    google: { type: 'google', apiKey: 'g' },
    gateway: { type: 'gateway', apiKey: 'v' },
  })
})

test('an empty variable counts as missing', () => {
  const env = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: undefined }
  expect(providersFromEnv(env)).toEqual(providersFromEnv({}))
})

test.each(['https://api.openai.com/v1', 'https://api.openai.com/v1/', 'https://API.openai.com'])(
  'at %s is OpenAI itself',
  (url) => {
    const { openai } = providersFromEnv({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'o' })
    expect(openai).toEqual({ type: 'openai', apiKey: 'o' })
  },
)

test('a region of OpenAI is OpenAI, at its URL', () => {
  const baseURL = 'https://eu.api.openai.com/v1'
  expect(providersFromEnv({ OPENAI_BASE_URL: baseURL })['openai']).toEqual({ type: 'openai', baseURL })
})

test.each([
  'http://127.0.0.1:1234/v1',
  'https://api.openai.com.example.com/v1',
  'https://proxy/api.openai.com',
  'no url',
])(
  'at %s is another server with its API',
  (url) => {
    expect(providersFromEnv({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'o' })['openai']).toEqual({
      type: 'openai-compatible',
      baseURL: url,
      apiKey: 'o',
    })
    expect(providersFromEnv({ OPENAI_BASE_URL: url })['openai']).not.toHaveProperty('apiKey')
  },
)
