import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Act, Reply, ScriptedServer } from '../support/scripted-server.ts'
import { startScriptedServer } from '../support/scripted-server.ts'
import { Conversation } from './conversation.ts'
import { wires } from './wires/all.ts'
import { answer, type Wire } from './wires/wire.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})

afterEach(() => server.close())

/** Stands in everything that a provider says of its errors. */
const RAW = 'sk-raw-text /home/me https://user:pw@host'

const failed = { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' }

/** The session goes on as if nothing had happened, and the model learns that the answer failed. */
async function expectToGoOn(conversation: Conversation, wire: Wire): Promise<void> {
  const asked = server.requests.length
  server.respondWith(answer(wire, 'well'))
  const { status, parts } = await conversation.prompt('and now?')
  expect({ status, parts }).toEqual({ status: 'COMPLETED', parts: [['text', 'COMPLETED', 'well']] })
  const body = JSON.stringify((await server.request(asked)).body)
  expect(body).toContain('hello')
  expect(body).toContain('[The answer to this failed before it was complete: The model call failed.]')
  expect(body).not.toContain('partial')
  expect(`${await conversation.stored()}${body}`).not.toContain('sk-raw-text')
}

describe.each(wires)('$name', (wire) => {
  test.each<readonly [string, readonly Act[]]>([
    ['an error', [wire.failure(RAW), ...wire.end]],
    ['an error, after which nothing comes,', [wire.failure(RAW), { until: new Promise(() => undefined) }]],
    ['a connection that is cut', [{ cut: true }]],
    ['an end that is none', []],
    ['a chunk that is no JSON', [{ data: `{"${RAW}` }, ...wire.end]],
    ['a chunk of garbage', [{ bytes: `data: \u0000\ufffd${RAW}\n\n` }, ...wire.end]],
  ])('G23: %s in mid-stream fails the run, keeps what came, and shows nothing of it', async (_, acts) => {
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
    const heard = conversation.heard('partial')
    server.respondWith({ stream: [...wire.begin([], ['partial']), { until: heard }, ...acts] })

    const { status, error, parts } = await conversation.prompt('hello')
    expect({ status, error }).toEqual({ status: 'FAILED', error: failed })
    expect(parts.map(([kind, , text]) => [kind, text])).toEqual([['text', 'partial']])
    expect(server.requests).toHaveLength(1)
    const errors = conversation.lines.filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message)).toEqual(['a run failed'])
    await expectToGoOn(conversation, wire)
  })

  test.each<readonly [string, Reply]>([
    ['a 401', { status: 401, body: wire.refusal(RAW) }],
    ['a 400', { status: 400, body: wire.refusal(RAW) }],
    ['a 404 that is no JSON', { status: 404, body: `<h1>${RAW}</h1>`, headers: { 'content-type': 'text/html' } }],
    ['a page', { status: 200, body: `<html>${RAW}</html>`, headers: { 'content-type': 'text/html' } }],
    ['an error that is said to be well', { status: 200, body: wire.refusal(RAW) }],
    ['nothing at all', { status: 200, body: '', headers: { 'content-type': 'text/event-stream' } }],
    ['only a sign of life', { stream: [{ bytes: ': ping\n\n' }] }],
  ])('G23: %s instead of an answer fails the run at once, and shows nothing of it', async (_, reply) => {
    server.respondWith(reply)
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
    const { status, error, parts } = await conversation.prompt('hello')
    expect({ status, error, parts }).toEqual({ status: 'FAILED', error: failed, parts: [] })
    expect(server.requests).toHaveLength(1)
    await expectToGoOn(conversation, wire)
  })
})
