import { expect, test } from 'vitest'
import { UnknownModelError } from '../ports/unknown-model-error.ts'
import { modelName, parseModelName } from './model-name.ts'

test.each([
  ['offline:offline', 'offline', 'offline'],
  ['ollama:qwen3:8b', 'ollama', 'qwen3:8b'],
  ['my-vllm_2:org/Model.v1@q4', 'my-vllm_2', 'org/Model.v1@q4'],
  ['lm:a model', 'lm', 'a model'],
])('%s', (name, provider, id) => {
  expect(parseModelName(name)).toEqual({ provider, id })
  expect(modelName({ provider, id })).toBe(name)
})

test.each([
  '', 'gpt', ':gpt', 'openai:', 'openai: gpt', 'openai:gpt ', '1x:gpt', 'open ai:gpt', 'openai:a\nb', 'öl:gpt', 'a:\0',
])('G8: %j is no model name', (name) => {
  expect(() => parseModelName(name)).toThrow(UnknownModelError)
  expect(() => parseModelName(name)).toThrow(/names no model/)
})
