import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Reply, ScriptedServer } from '../support/scripted-server.ts'
import { startScriptedServer } from '../support/scripted-server.ts'
import { Conversation, type Ended } from './conversation.ts'
import { wires } from './wires/all.ts'
import { openAiCompatible } from './wires/openai-chat.ts'
import { answer, type Wire } from './wires/wire.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})

afterEach(() => server.close())

const busy = (wire: Wire, headers: Readonly<Record<string, string>> = {}, status = 429): Reply => ({
  status,
  body: wire.refusal('sk-raw-text'),
  headers,
})

interface Tried {
  readonly ended: Ended
  readonly pauses: readonly number[]
  readonly requests: number
}

/** Prompts, and lets every pause pass at once. */
async function promptThrough(wire: Wire, ...replies: readonly [Reply, ...Reply[]]): Promise<Tried> {
  server.respondWith(...replies)
  await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
  const { clock } = conversation
  const waking = (async () => {
    for (let index = 0; ; index++) (await clock.slept(index)).wake()
  })()
  const ended = await Promise.race([conversation.prompt('hello'), waking])
  const tried = { ended, pauses: clock.sleeps.map(({ ms }) => ms), requests: server.requests.length }

  server.respondWith(answer(wire, 'well'))
  expect((await conversation.prompt('and now?')).status).toBe('COMPLETED')
  expect(await conversation.stored()).not.toContain('sk-raw-text')
  return tried
}

const outcome = ({ ended: { status, error, parts }, ...rest }: Tried) => ({ status, error, parts, ...rest })

const failed = {
  status: 'FAILED',
  error: { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' },
  parts: [],
}
const atLast = answer(openAiCompatible, 'at last')
const answered = { status: 'COMPLETED', error: null, parts: [['text', 'COMPLETED', 'at last']] }

test.each<readonly [Readonly<Record<string, string>>, number]>([
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '60' }, 60_000],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 2_000],
  [{ 'retry-after': '-1' }, 2_000],
  [{}, 2_000],
])('G22: a 429 with %o is tried again after %i ms', async (headers, pause) => {
  const tried = await promptThrough(openAiCompatible, busy(openAiCompatible, headers), atLast)
  expect(outcome(tried)).toEqual({ ...answered, pauses: [pause], requests: 2 })
})

test.each([408, 409, 500, 503])('G22: a %i is tried again', async (status) => {
  const tried = await promptThrough(openAiCompatible, busy(openAiCompatible, {}, status), atLast)
  expect(outcome(tried)).toEqual({ ...answered, pauses: [2_000], requests: 2 })
})

test('G22: a server that is not there is tried three times', async () => {
  await using conversation = await Conversation.with(openAiCompatible.config(server.origin), openAiCompatible.modelId)
  await server.close()
  const ended = conversation.prompt('hello')
  for (const index of [0, 1]) (await conversation.clock.slept(index)).wake()
  const { status, error, parts } = await ended
  expect({ status, error, parts }).toEqual(failed)
  expect(conversation.clock.sleeps.map(({ ms }) => ms)).toEqual([2_000, 4_000])
  expect(await conversation.stored()).not.toContain('ECONNREFUSED')
})

describe.each(wires)('$name', (wire) => {
  test('G22: a 429 is tried again when its header says', async () => {
    const tried = await promptThrough(wire, busy(wire, { 'retry-after': '7' }), answer(wire, 'at last'))
    expect(outcome(tried)).toEqual({ ...answered, pauses: [7_000], requests: 2 })
  })

  test.each([429, 529])('G22: a %i that stays fails the run after three tries', async (status) => {
    const tried = await promptThrough(wire, busy(wire, {}, status))
    expect(outcome(tried)).toEqual({ ...failed, pauses: [2_000, 4_000], requests: 3 })
  })

  test('G22: who asks for a longer pause than a minute is not asked again', async () => {
    const tried = await promptThrough(wire, busy(wire, { 'retry-after': '61' }))
    expect(outcome(tried)).toEqual({ ...failed, pauses: [], requests: 1 })
  })

  test('G22: a connection that is cut before anything came is tried again', async () => {
    const tried = await promptThrough(wire, { stream: [{ cut: true }] }, answer(wire, 'at last'))
    expect(outcome(tried)).toEqual({ ...answered, pauses: [2_000], requests: 2 })
  })

  test('G21: a redirect is not followed: the key stays where it belongs', async () => {
    await using elsewhere = await startElsewhere()
    const location = `${elsewhere.origin}${wire.path}`
    const tried = await promptThrough(wire, { status: 307, body: '', headers: { location } })
    expect(outcome(tried)).toEqual({ ...failed, pauses: [], requests: 1 })
    expect(elsewhere.requests).toEqual([])
  })
})

async function startElsewhere(): Promise<ScriptedServer & AsyncDisposable> {
  const other = await startScriptedServer()
  return { ...other, [Symbol.asyncDispose]: () => other.close() }
}
