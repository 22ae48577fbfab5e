import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Act, ScriptedServer } from '../support/scripted-server.ts'
import { startScriptedServer } from '../support/scripted-server.ts'
import { Conversation } from './conversation.ts'
import { wires } from './wires/all.ts'
import { answer } from './wires/wire.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})

afterEach(() => server.close())

const failed = { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' }
/** As long as the client stays. */
const never: Act = { until: new Promise(() => undefined) }

describe.each(wires)('$name', (wire) => {
  const conversationOf = (silenceMs: number) =>
    Conversation.with({ ...wire.config(server.origin), silenceMs }, wire.modelId)

  test.each<readonly [string, readonly Act[]]>([
    ['headers', [never]],
    ['first event', [{ headers: true }, never]],
  ])('G25: who says nothing before its %s for too long is left, and not asked again', async (_, acts) => {
    server.respondWith({ stream: acts }, answer(wire, 'too late'))
    await using conversation = await conversationOf(50)
    const { status, error, parts } = await conversation.prompt('hello')
    expect({ status, error, parts }).toEqual({ status: 'FAILED', error: failed, parts: [] })
    expect(await (await server.request(0)).ended).toBe('closed')
    expect(conversation.clock.sleeps).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test('G25: who falls silent in mid-stream for too long is left', async () => {
    await using conversation = await conversationOf(1_000)
    const heard = conversation.heard('partial')
    server.respondWith({ stream: [...wire.begin([], ['partial']), { until: heard }, never] }, answer(wire, 'well'))
    const { status, error, parts } = await conversation.prompt('hello')
    expect({ status, error }).toEqual({ status: 'FAILED', error: failed })
    expect(parts).toEqual([['text', 'FAILED', 'partial']])
    expect(await (await server.request(0)).ended).toBe('closed')
    expect((await conversation.prompt('and now?')).parts).toEqual([['text', 'COMPLETED', 'well']])
  })
})
