import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Act, ScriptedServer } from '../support/scripted-server.ts'
import { startScriptedServer } from '../support/scripted-server.ts'
import { Conversation } from './conversation.ts'
import { wires } from './wires/all.ts'
import { answer, type Wire } from './wires/wire.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})

afterEach(() => server.close())

const aborted = { code: 'ABORTED', source: 'harness' }
/** As long as the client stays. */
const never: Act = { until: new Promise(() => undefined) }

async function expectToGoOn(conversation: Conversation, wire: Wire): Promise<void> {
  server.respondWith(answer(wire, 'well'))
  const { status, parts } = await conversation.prompt('and now?')
  expect({ status, parts }).toEqual({ status: 'COMPLETED', parts: [['text', 'COMPLETED', 'well']] })
}

describe.each(wires)('$name', (wire) => {
  test('G24: an abort in mid-stream cancels the run, keeps what came and closes the connection', async () => {
    server.respondWith({ stream: [...wire.begin([], ['partial']), never] })
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
    const heard = conversation.heard('partial')
    await conversation.enqueue('hello')
    await heard
    await conversation.abort()
    expect(await conversation.ended(0)).toMatchObject({
      status: 'CANCELLED',
      error: aborted,
      parts: [['text', 'CANCELLED', 'partial']],
    })
    expect(await (await server.request(0)).ended).toBe('closed')
    expect(server.requests).toHaveLength(1)
    await expectToGoOn(conversation, wire)
  })

  test.each<readonly [string, readonly Act[]]>([
    ['headers', [never]],
    ['first event', [{ headers: true }, never]],
    ['first text', [...wire.begin([], []), { headers: true }, never]],
  ])('G24: a provider that says nothing before its %s does not hold the session beyond an abort', async (_, acts) => {
    server.respondWith({ stream: acts })
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
    await conversation.enqueue('hello')
    const request = await server.request(0)
    await conversation.abort()
    expect(await conversation.ended(0)).toMatchObject({ status: 'CANCELLED', error: aborted, parts: [] })
    expect(await request.ended).toBe('closed')
    await expectToGoOn(conversation, wire)
  })

  test('G24: an abort ends the pause before another try, of which there is none then', async () => {
    server.respondWith({ status: 429, body: wire.refusal('slow down'), headers: { 'retry-after': '30' } })
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
    await conversation.enqueue('hello')
    const sleep = await conversation.clock.slept(0)
    await conversation.abort()
    expect(await conversation.ended(0)).toMatchObject({ status: 'CANCELLED', error: aborted, parts: [] })
    sleep.wake()
    await expectToGoOn(conversation, wire)
    expect(server.requests).toHaveLength(2)
  })
})
