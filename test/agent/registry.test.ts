import { expect, test } from 'vitest'
import type { ModelsConfig } from '../../src/agent/models-config.ts'
import { modelRegistry } from '../../src/agent/registry.ts'
import type { ModelRequest } from '../../src/ports/model-request.ts'
import { UnknownModelError } from '../../src/ports/unknown-model-error.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'

const ollama = { type: 'openai-compatible', baseURL: 'http://127.0.0.1:11434/v1' } as const

const registry = (config: Partial<ModelsConfig> = {}) =>
  modelRegistry({ default: 'ollama:qwen3:8b', providers: { ollama }, ...config }, systemClock)

const request = (modelHint: string | null, signal = new AbortController().signal) =>
  ({ modelHint, signal }) as ModelRequest

test('a hint names the model, no hint means the default', async () => {
  const models = registry()
  expect((await models.resolve(request(null))).identity).toEqual({ provider: 'ollama', id: 'qwen3:8b' })
  expect((await models.resolve(request('ollama:llama3'))).identity).toEqual({ provider: 'ollama', id: 'llama3' })
  expect((await models.resolve(request('offline:offline'))).identity).toEqual({ provider: 'offline', id: 'offline' })
})

test('the known models are the default, the listed ones and the offline model, each once', () => {
  expect(registry({ models: ['ollama:llama3', 'ollama:qwen3:8b'] }).known).toEqual([
    { provider: 'ollama', id: 'qwen3:8b' },
    { provider: 'ollama', id: 'llama3' },
    { provider: 'offline', id: 'offline' },
  ])
  const { known } = registry({ default: 'offline:offline', providers: {} })
  expect(known).toEqual([{ provider: 'offline', id: 'offline' }])
})

test.each([
  ['an unknown provider', 'openai:gpt', /"openai".*offline, ollama/],
  ['an unknown offline model', 'offline:gpt', /offline:offline/],
  ['a malformed name', 'gpt', /provider:model/],
  ['a name of the prototype', 'constructor:x', /"constructor"/],
])('G8: a hint with %s is refused with what there is', async (_, hint, message) => {
  const error: unknown = await registry().resolve(request(hint)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnknownModelError)
  expect(error).toMatchObject({ message: expect.stringMatching(message) as string })
})

test.each<readonly [string, Partial<ModelsConfig>, RegExp]>([
  ['a default without its provider', { default: 'openai:gpt' }, /"openai"/],
  ['a malformed default', { default: 'gpt' }, /"gpt"/],
  ['a malformed listed model', { models: ['ollama:'] }, /"ollama:"/],
  ['a malformed provider name', { providers: { ollama, 'my server': ollama } }, /"my server"/],
  ['a provider name with a colon', { providers: { ollama, 'my:server': ollama } }, /"my:server"/],
  ['a provider named offline', { providers: { ollama, offline: ollama } }, /offline/],
  ['a base URL that is none', { providers: { ollama: { ...ollama, baseURL: 'localhost:11434' } } }, /ollama/],
])('G8: a configuration with %s is refused at once', (_, config, message) => {
  expect(() => registry(config)).toThrow(message)
})

test('an aborted run gets no model', async () => {
  const reason = new Error('enough')
  await expect(registry().resolve(request(null, AbortSignal.abort(reason)))).rejects.toBe(reason)
})
