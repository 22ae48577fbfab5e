import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts'
import { Conversation } from './conversation.ts'
import { wires } from './wires/all.ts'
import { openAiResponses, thinking } from './wires/openai-responses.ts'
import { answer, said } from './wires/wire.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})

afterEach(() => server.close())

describe.each(wires)('$name', (wire) => {
  test('G20: answers, thinks, counts, and sees again what it said', async () => {
    server.respondWith({ stream: [...wire.begin(said.thoughts, said.text), ...wire.end] }, answer(wire, 'done'))
    await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)

    const first = await conversation.prompt(said.prompt)
    const thoughts = ['reasoning', 'COMPLETED', said.thoughts.join('')]
    expect(first).toEqual({
      status: 'COMPLETED',
      error: null,
      parts: [...(wire.showsThoughts ? [thoughts] : []), ['text', 'COMPLETED', said.text.join('')]],
      usage: wire.usage,
    })
    const { method, path, headers } = await server.request(0)
    const [keyHeader, key] = wire.keyHeader
    expect({ method, path, key: headers[keyHeader] }).toEqual({ method: 'POST', path: wire.path, key })

    const second = await conversation.prompt(said.next)
    expect(second.parts).toEqual([['text', 'COMPLETED', 'done']])
    expect((await server.request(1)).body).toMatchObject(wire.followUp as object)
    expect(server.requests).toHaveLength(2)
    expect(conversation.lines.filter(({ level }) => level !== 'info')).toEqual([])
  })
})

test('G27: thoughts that OpenAI did not seal are not sent back: without its store it would not find them', async () => {
  const wire = openAiResponses
  const [created, ...rest] = [...wire.begin([], ['yes']), ...wire.end]
  server.respondWith({ stream: [created!, ...thinking(['hm'], null), ...rest] }, answer(wire, 'done'))
  await using conversation = await Conversation.with(wire.config(server.origin), wire.modelId)
  expect((await conversation.prompt('first')).parts.map(([kind]) => kind)).toEqual(['reasoning', 'text'])
  expect((await conversation.prompt('second')).status).toBe('COMPLETED')
  const { input } = (await server.request(1)).body as { readonly input: readonly object[] }
  expect(input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'first' }] },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: [{ type: 'input_text', text: 'second' }] },
  ])
})
