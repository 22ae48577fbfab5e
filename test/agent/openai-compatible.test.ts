import { afterEach, beforeEach, expect, test } from 'vitest'
import { modelRegistry } from '../../src/agent/registry.ts'
import type { LogBody } from '../../src/domain/log/entry.ts'
import { AbortReason } from '../../src/kernel/abort.ts'
import type { Json } from '../../src/kernel/json.ts'
import type { Model, StepPart } from '../../src/ports/model.ts'
import type { ModelRequest } from '../../src/ports/model-request.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { answering, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts'
import { callOf, finishOf, input, logOf, stepOf, textOf } from './step.ts'

let server: OpenAiServer

beforeEach(async () => {
  server = await startOpenAiServer()
})

afterEach(() => server.close())

const never = new AbortController().signal

function model(fields: { readonly includeUsage?: boolean; readonly apiKey?: string } = {}): Promise<Model> {
  const provider = { type: 'openai-compatible', baseURL: server.url, headers: { 'x-team': 'blue' }, ...fields } as const
  const models = modelRegistry({ default: 'local:test-model', providers: { local: provider } }, systemClock)
  return models.resolve({ modelHint: null, signal: never } as ModelRequest)
}

const ask = async () => stepOf(await model(), callOf('hello'))

test('text, reasoning and token counts stream over HTTP', async () => {
  server.respondWith({
    stream: [
      { reasoning: 'let me ' },
      { reasoning: 'see' },
      { text: 'Grüß' },
      { text: ' Gott 🙂' },
      { finish: 'stop' },
      { usage: { input: 12, output: 9, reasoning: 4, cached: 5 } },
    ],
  })
  const step = await ask()
  expect(step.thrown).toBeUndefined()
  expect(step.parts.map(({ type }) => type)).toEqual([
    'start', 'delta', 'delta', 'end', 'start', 'delta', 'delta', 'end', 'finish',
  ])
  expect(textOf(step, 'reasoning')).toBe('let me see')
  expect(textOf(step)).toBe('Grüß Gott 🙂')
  expect(finishOf(step)).toMatchObject({
    reason: 'stop',
    usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, reasoningTokens: 4, cachedInputTokens: 5 },
  })
})

test('what is asked: the model, the conversation, the key, and the token counts of a stream', async () => {
  server.respondWith(answering('a'))
  const accepted: LogBody = { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null }
  const answer: LogBody = {
    kind: 'step',
    output: { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }] },
  }
  const picture = { mediaType: 'image/png', filename: 'cat.png', url: 'data:image/png;base64,AQID' }
  const log = logOf(input('hello'), answer, accepted, { kind: 'input', text: 'look', attachments: [picture] })
  await stepOf(await model({ apiKey: 'secret' }), callOf('', { log, system: 'be brief' }))

  const request = await server.request(0)
  expect(request).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer secret', 'x-team': 'blue' },
    body: {
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
          ],
        },
      ],
    },
  })
  expect(request.body).not.toHaveProperty('tools')
  expect(await request.ended).toBe('answered')
})

test('a server without keys gets none, and one that cannot count is not asked to', async () => {
  server.respondWith({ stream: [{ text: 'a' }, { finish: 'length' }] })
  const step = await stepOf(await model({ includeUsage: false }), callOf('hello'))
  expect(finishOf(step)).toMatchObject({ reason: 'length', usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } })
  const { headers, body } = await server.request(0)
  expect(headers).not.toHaveProperty('authorization')
  expect(body).not.toHaveProperty('stream_options')
})

/** Reads a stream until its first delta, then does something, then goes on to the end. */
async function onFirstDelta(stream: AsyncIterable<StepPart>, act: () => void): Promise<unknown> {
  let isFirst = true
  try {
    for await (const part of stream) {
      if (part.type !== 'delta' || !isFirst) continue
      isFirst = false
      act()
    }
  } catch (thrown) {
    return thrown
  }
  return undefined
}

test('G3: an abort in mid-stream throws its reason and closes the connection', async () => {
  const held = Promise.withResolvers<void>()
  server.respondWith({ stream: [{ text: 'a' }, { until: held.promise }, { text: 'b' }, { finish: 'stop' }] })
  const stop = new AbortController()
  const reason = new AbortReason('requested', 'enough')
  const stream = (await model()).stream(callOf('hello', { signal: stop.signal }))
  expect(await onFirstDelta(stream, () => stop.abort(reason))).toBe(reason)
  expect(await (await server.request(0)).ended).toBe('closed')
  held.resolve()
})

test('G3: an abort before the first byte throws its reason at once and closes the connection', async () => {
  const held = Promise.withResolvers<void>()
  server.respondWith({ stream: [{ until: held.promise }, { text: 'a' }, { finish: 'stop' }] })
  const stop = new AbortController()
  const reason = new AbortReason('requested', 'enough')
  const step = stepOf(await model(), callOf('hello', { signal: stop.signal }))
  const request = await server.request(0)
  stop.abort(reason)
  expect(await step).toEqual({ parts: [], thrown: reason })
  expect(await request.ended).toBe('closed')
  held.resolve()
})

test('G3: a reader that goes away closes the connection', async () => {
  const held = Promise.withResolvers<void>()
  server.respondWith({ stream: [{ text: 'a' }, { until: held.promise }, { finish: 'stop' }] })
  for await (const part of (await model()).stream(callOf('hello'))) if (part.type === 'delta') break
  expect(await (await server.request(0)).ended).toBe('closed')
  held.resolve()
})

const errorBody = (message: string): Json => ({ error: { message, type: 'some_error', code: null } })

test('G4: a refused key is thrown as the provider reports it, without another try', async () => {
  server.respondWith({ status: 401, body: errorBody('bad key') })
  const { thrown, parts } = await ask()
  expect(thrown).toMatchObject({ name: 'AI_APICallError', message: 'bad key', statusCode: 401 })
  expect(parts).toEqual([])
  expect(server.requests).toHaveLength(1)
})

test.each([429, 500, 503])('G4: a status %i that stays is thrown as the provider reports it', async (status) => {
  server.respondWith({ status, body: errorBody('not now') })
  const { thrown } = await ask()
  expect(thrown).toMatchObject({ name: 'AI_APICallError', message: 'not now', statusCode: status })
  expect(server.requests).toHaveLength(3)
})

test('a temporary failure before the first byte is tried again', async () => {
  server.respondWith({ status: 503, body: errorBody('not now') }, answering('a', 'b'))
  const step = await ask()
  expect(step.thrown).toBeUndefined()
  expect(textOf(step)).toBe('ab')
  expect(server.requests).toHaveLength(2)
})

test('G2: a connection that is cut in mid-stream throws', async () => {
  const seen = Promise.withResolvers<void>()
  server.respondWith({ stream: [{ text: 'a' }, { until: seen.promise }, { cut: true }] })
  const thrown = await onFirstDelta((await model()).stream(callOf('hello')), () => seen.resolve())
  expect(thrown).toBeInstanceOf(Error)
  expect(server.requests).toHaveLength(1)
})

test('G2: a stream that ends without saying why throws, whatever came before', async () => {
  server.respondWith({ stream: [{ text: 'a' }] })
  const step = await ask()
  expect(step.thrown).toBeInstanceOf(Error)
  expect(textOf(step)).toBe('a')
})

test.each([
  ['no JSON', '{"choices": ['],
  ['no completion', '{"hello":"world"}'],
  ['an error', '{"error":{"message":"overloaded","type":"server_error"}}'],
])('G2: a chunk that is %s throws', async (_, raw) => {
  server.respondWith({ stream: [{ text: 'a' }, { raw }, { text: 'b' }, { finish: 'stop' }] })
  const step = await ask()
  expect(step.thrown).toBeInstanceOf(Error)
  expect(textOf(step)).toBe('a')
})
