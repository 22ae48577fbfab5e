import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import type { ModelsConfig, ProviderConfig } from '../../src/agent/models-config.ts'
import { modelRegistry } from '../../src/agent/registry.ts'
import { Fault } from '../../src/kernel/fault.ts'
import type { ModelRequest } from '../../src/ports/model-request.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { type RecordedRequest, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts'
import { callOf, stepOf } from './step.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
  server.respondWith({ status: 400, body: { error: { message: 'no' } } })
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const request = { modelHint: null, signal: new AbortController().signal } as ModelRequest

const modelsOf = (config: ProviderConfig, model = 'some-model'): ReturnType<typeof modelRegistry> =>
  modelRegistry({ default: `p:${model}`, providers: { p: config } } satisfies ModelsConfig, systemClock)

/** What is sent to a provider. */
async function sent(config: ProviderConfig, model?: string): Promise<RecordedRequest> {
  const asked = server.requests.length
  await stepOf(await modelsOf(config, model).resolve(request), callOf('hello'))
  return server.request(asked)
}

const keyHeaders = ({ headers }: RecordedRequest) => ({
  ...(headers.authorization !== undefined && { authorization: headers.authorization }),
  ...(headers['x-api-key'] !== undefined && { 'x-api-key': headers['x-api-key'] }),
  ...(headers['x-goog-api-key'] !== undefined && { 'x-goog-api-key': headers['x-goog-api-key'] }),
})

const types = ['openai', 'anthropic', 'google', 'gateway', 'openai-compatible'] as const
type Type = (typeof types)[number]

/** The key of another provider, and of none that is configured. */
const surroundings = [
  'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'GOOGLE_GENERATIVE_AI_API_KEY', 'AI_GATEWAY_API_KEY',
  'VERCEL_OIDC_TOKEN',
]

describe.each(types)('%s', (type: Type) => {
  test('G21: a key is sent in the header that is meant for it, and no other', async () => {
    for (const name of surroundings) vi.stubEnv(name, 'from-the-environment')
    const seen = await sent({ type, baseURL: server.origin, apiKey: 'secret' })
    const expected: Partial<Record<Type, object>> = {
      anthropic: { 'x-api-key': 'secret' },
      google: { 'x-goog-api-key': 'secret' },
    }
    expect(keyHeaders(seen)).toEqual(expected[type] ?? { authorization: 'Bearer secret' })
  })

  test('G21: without a key a server elsewhere gets none, whatever the environment has', async () => {
    for (const name of surroundings) vi.stubEnv(name, 'from-the-environment')
    const seen = await sent({ type, baseURL: server.origin })
    expect(keyHeaders(seen)).toEqual({})
    expect(JSON.stringify(seen.headers)).not.toContain('from-the-environment')
  })

  test('headers of the configuration stand in place of others, whatever their case', async () => {
    const proofs = { Authorization: 'Basic Zm9v', 'X-API-Key': 'a', 'X-Goog-Api-Key': 'b' }
    const headers = { ...proofs, 'User-Agent': 'ours', 'x-team': 'blue' }
    const seen = await sent({ type, baseURL: server.origin, apiKey: 'secret', headers })
    expect(keyHeaders(seen)).toEqual({ authorization: 'Basic Zm9v', 'x-api-key': 'a', 'x-goog-api-key': 'b' })
    expect(seen.headers).toMatchObject({ 'user-agent': 'ours', 'x-team': 'blue' })
  })

  test('a user and password in the URL are sent as such', async () => {
    const url = new URL(`${server.origin}/proxy/`)
    url.username = 'me@team'
    url.password = 'p:w'
    const seen = await sent({ type, baseURL: url.href })
    expect(seen.headers.authorization).toBe(`Basic ${Buffer.from('me@team:p:w').toString('base64')}`)
    expect(seen.path).toMatch(/^\/proxy\/[^/]/)
  })

  test.each<readonly [string, Partial<ProviderConfig>, RegExp]>([
    ['a URL that is none', { baseURL: 'localhost:11434' }, /^The provider p has a base URL/],
    ['a URL of a file', { baseURL: 'file:///etc' }, /^The provider p has a base URL/],
    ['a key with a line break', { apiKey: 'sk-secret\n' }, /^The provider p has blanks .* API key/],
    ['a key with a prefix', { apiKey: 'Bearer sk-secret' }, /^The provider p has blanks .* API key/],
    ['an empty key', { apiKey: '' }, /^The provider p has blanks .* API key/],
    ['a malformed header', { headers: { 'x-team': 'sk-secret\n\nx' } }, /^The provider p has a malformed header/],
    ['a header without a name', { headers: { '': 'sk-secret' } }, /^The provider p has a malformed header/],
    ['a malformed user', { baseURL: 'http://%E0:sk-secret@127.0.0.1' }, /a malformed user in its base URL/],
    ['a negative silence', { silenceMs: -1 }, /^The provider p has a silence/],
    ['a silence that is no number', { silenceMs: Number.NaN }, /^The provider p has a silence/],
  ])('G8: %s is refused at once, and not shown', (_, fields, message) => {
    const config = { type, baseURL: server.origin, ...fields } as ProviderConfig
    expect(() => modelsOf(config)).toThrow(message)
    expect(() => modelsOf(config)).not.toThrow('sk-secret')
  })
})

test.each([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['gateway', 'AI_GATEWAY_API_KEY'],
] as const)('G21: %s without a key is refused when its model is resolved', async (type, variable) => {
  vi.stubEnv(variable, 'from-the-environment')
  const error: unknown = await modelsOf({ type }).resolve(request).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Fault)
  expect((error as Fault).source).toBe('resolver')
  expect((error as Fault).message).toBe(`The provider p has no API key: set apiKey, on a server ${variable}.`)
})

test('G21: headers that authenticate are as good as a key', async () => {
  const { identity } = await modelsOf({ type: 'openai', headers: { Authorization: 'Bearer x' } }).resolve(request)
  expect(identity).toEqual({ provider: 'p', id: 'some-model' })
})

/** The time limits under which requests go out while `act` runs. */
async function limitsOf(act: () => Promise<unknown>): Promise<readonly (readonly unknown[])[]> {
  const own = getGlobalDispatcher()
  const seen: (readonly unknown[])[] = []
  const watching: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    seen.push([options.headersTimeout, options.bodyTimeout])
    return dispatch(options, handler)
  }
  setGlobalDispatcher(own.compose(watching))
  await act()
  setGlobalDispatcher(own)
  return seen
}

test.each<readonly [Type, number | undefined, number]>([
  ['openai', undefined, 300_000],
  ['anthropic', undefined, 300_000],
  ['google', undefined, 300_000],
  ['gateway', undefined, 300_000],
  ['openai-compatible', undefined, 1_800_000],
  ['openai-compatible', 0, 0],
  ['openai', 1_234, 1_234],
])('G25: %s with a silence of %s may say nothing for %i ms', async (type, silenceMs, ms) => {
  const config = { type, baseURL: server.origin, ...(silenceMs !== undefined && { silenceMs }) }
  expect(await limitsOf(() => sent(config))).toEqual([[ms, ms]])
})

test.each<readonly [ProviderConfig['type'], string, object]>([
  ['openai', 'gpt-5', { reasoning: { effort: 'high', summary: 'detailed' } }],
  ['anthropic', 'claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: expect.any(Number) as number } }],
  [
    'google',
    'gemini-2.5-flash',
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: expect.any(Number) as number } } },
  ],
  ['gateway', 'openai/gpt-5', { reasoning: 'high' }],
  ['openai-compatible', 'qwen3', { reasoning_effort: 'high' }],
])('%s is asked to think as much as the configuration says', async (type, model, body) => {
  const config = { type, baseURL: server.origin, reasoning: 'high' } as const
  expect((await sent(config, model)).body).toMatchObject(body)
})

test.each(['gpt-5', 'gpt-4.1', 'a-model-of-tomorrow'])('G27: OpenAI is asked to store nothing of %s', async (model) => {
  expect((await sent({ type: 'openai', baseURL: server.origin }, model)).body).toMatchObject({ store: false })
})
