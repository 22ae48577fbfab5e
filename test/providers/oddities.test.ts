import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Act, answering, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts'
import { Conversation } from './conversation.ts'

let server: OpenAiServer

beforeEach(async () => {
  server = await startOpenAiServer()
})

afterEach(() => server.close())

const failed = { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' }
const usage: Act = { usage: { input: 10, output: 0 } }

async function converse(...stream: readonly Act[]) {
  server.respondWith({ stream }, answering('well'))
  await using conversation = await Conversation.with({ type: 'openai-compatible', baseURL: server.url }, 'test-model')
  const { status, error, parts } = await conversation.prompt('hello')
  const next = await conversation.prompt('and now?')
  expect(next).toMatchObject({ status: 'COMPLETED', parts: [['text', 'COMPLETED', 'well']] })
  expect(server.requests).toHaveLength(2)
  const { messages } = (await server.request(1)).body as { readonly messages: readonly { readonly role: string }[] }
  return { first: { status, error, parts }, roles: messages.map(({ role }) => role) }
}

const call = (index: number, input: string): Act => ({ call: { index, id: 'call_0', name: 'shell', input } })

const noShell = 'There is no tool "shell".'

test.each<readonly [string, readonly Act[], readonly string[]]>([
  ['a call of a tool', [call(0, '{"rm":"-rf"}')], [noShell]],
  ['a call in pieces', [call(0, '{"rm"'), { call: { index: 0, input: ':"-rf"}' } }], [noShell]],
  ['two calls of one id', [call(0, '{}'), call(1, '{}')], [noShell, noShell]],
  ['a call whose input is no JSON', [call(0, '{"rm":')], [noShell]],
])('G30: %s, where there are no tools, is answered so, and the run goes on', async (_, calls, results) => {
  server.respondWith({ stream: [{ text: 'I will' }, ...calls, { finish: 'tool_calls' }, usage] }, answering('well'))
  await using conversation = await Conversation.with({ type: 'openai-compatible', baseURL: server.url }, 'test-model')
  expect(await conversation.prompt('hello')).toMatchObject({ status: 'COMPLETED' })
  const { messages } = (await server.request(1)).body as { readonly messages: readonly Record<string, unknown>[] }
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', ...results.map(() => 'tool')])
  expect(messages.slice(2).map(({ content }) => content)).toEqual(results)
  const asked = messages[1]?.['tool_calls'] as readonly { readonly id: string }[]
  expect(messages.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(asked.map(({ id }) => id))
})

test('G23: a call of no name fails the run and is forgotten', async () => {
  const nameless: Act = { call: { index: 0, id: 'call_0', input: '{}' } }
  const { first, roles } = await converse({ text: 'I will' }, nameless, { finish: 'tool_calls' }, usage)
  expect(first).toMatchObject({ status: 'FAILED', error: failed, parts: [['text', expect.anything(), 'I will']] })
  expect(roles).toEqual(['user'])
})

test.each<readonly [string, readonly Act[]]>([
  ['nothing', []],
  ['an empty text', [{ text: '' }, { text: '' }]],
])('an answer of %s is one', async (_, acts) => {
  const { first, roles } = await converse(...acts, { finish: 'stop' }, usage)
  expect(first).toEqual({ status: 'COMPLETED', error: null, parts: [] })
  expect(roles).toEqual(['user'])
})

test('an answer of thoughts alone is one', async () => {
  const { first, roles } = await converse({ reasoning: 'hm' }, { finish: 'stop' }, usage)
  expect(first).toEqual({ status: 'COMPLETED', error: null, parts: [['reasoning', 'COMPLETED', 'hm']] })
  expect(roles).toEqual(['user'])
})

test.each(['length', 'content_filter'])('an answer that ends by %s keeps its text', async (finish) => {
  const { first, roles } = await converse({ text: 'so far' }, { finish }, usage)
  expect(first).toEqual({ status: 'COMPLETED', error: null, parts: [['text', 'COMPLETED', 'so far']] })
  expect(roles).toEqual(['user', 'assistant', 'user'])
})

test('what comes after the finish is not part of the answer’s text', async () => {
  const { first } = await converse({ text: 'all' }, { finish: 'stop' }, usage, { raw: '[DONE]' }, { raw: '[DONE]' })
  expect(first).toEqual({ status: 'COMPLETED', error: null, parts: [['text', 'COMPLETED', 'all']] })
})

test('text that is cut within a character by the network arrives whole', async () => {
  const { first } = await converse({ text: '🙂'.repeat(40_000) }, { finish: 'stop' }, usage)
  expect(first.parts).toEqual([['text', 'COMPLETED', '🙂'.repeat(40_000)]])
})
