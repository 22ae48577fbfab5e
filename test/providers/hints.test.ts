import { expect, test } from 'vitest'
import { Conversation } from './conversation.ts'

const nobody = { type: 'openai', apiKey: 'sk-secret', baseURL: 'http://127.0.0.1:9/v1' } as const
const keyless = { type: 'openai' } as const

test.each([
  ['another provider', 'openia:gpt-5', 'There is no model provider "openia". There are: offline, p.'],
  ['another offline model', 'offline:gpt', 'There is no model "gpt" offline, only offline:offline.'],
  ['no provider', 'gpt-5', '"gpt-5" names no model: write provider:model, such as ollama:qwen3.'],
])('G8: who asks for a model of %s reads what there is, and the session goes on', async (_, modelHint, message) => {
  await using conversation = await Conversation.with(nobody, 'm')
  const ended = await conversation.prompt('hello', { modelHint })
  const error = { code: 'MODEL_UNAVAILABLE', message, source: 'modelResolver' }
  expect(ended).toMatchObject({ status: 'FAILED', error, parts: [] })
  expect(await conversation.prompt('count to 3', { modelHint: 'offline:offline' })).toMatchObject({
    status: 'COMPLETED',
    parts: [['text', 'COMPLETED', '1 2 3']],
  })
})

test('G8: what the operator has to mend is for the log alone', async () => {
  await using conversation = await Conversation.with(keyless, 'm')
  const ended = await conversation.prompt('hello')
  expect(ended).toMatchObject({ status: 'FAILED', error: { message: 'The model could not be resolved.' } })
  const failures = conversation.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['err']))
  expect(failures).toEqual([expect.stringContaining('The provider p has no API key') as string])
})
