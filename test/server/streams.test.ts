import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { post } from './graphql-client.ts'
import { testServer } from './test-server.ts'
import { until } from './until.ts'

const SESSION = 'scopeId: "default", sessionId: "s"'
const STATUS = `{ session(${SESSION}) { runs(first: 1) { edges { node { status } } } } }`
const PIECE = 'x'.repeat(64 * 1024)

/** The same text several times, so that there is more of it than the buffers of the operating system take. */
const EVENTS = `subscription {
  events(scopeId: "default") { ... on PartDeltaEvent { a: delta b: delta c: delta d: delta } }
}`

async function subscribed(url: string): Promise<IncomingMessage> {
  const headers = { accept: 'text/event-stream' }
  const request = httpRequest(`${url}?query=${encodeURIComponent(EVENTS)}`, { headers }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response.on('error', () => undefined)
}

test('V5: a client that takes nothing of a stream any more is cut, and the run is not disturbed', async () => {
  await using started = await testServer({ limits: { stallMs: 500 } })
  await post(started.url, `mutation { createSession(input: { ${SESSION} }) { __typename } }`)
  const response = await subscribed(started.url)
  response.pause()
  await until('it is attached', () => started.harness.subscriptions.size === 1)

  await post(started.url, `mutation { enqueuePrompt(input: { ${SESSION}, text: "x" }) { __typename } }`)
  await until('the model was asked', () => started.models.calls.length === 1)
  const call = started.models.last.start()
  for (let piece = 0; piece < 60; piece++) call.delta(PIECE)
  call.end().finish()

  await until('it was cut', () => started.harness.subscriptions.size === 0)
  const status = async () => JSON.stringify(await post(started.url, STATUS))
  await until('the run has ended', async () => !(await status()).includes('RUNNING'))
  expect(await status()).toContain('COMPLETED')
})

test('a client of a quiet stream is kept', async () => {
  await using started = await testServer({ limits: { stallMs: 1_500 } })
  const response = await subscribed(started.url)
  let pings = 0
  response.setEncoding('utf8').on('data', (text: string) => (pings += text.split(':\n\n').length - 1))
  await until('it was given signs of life for longer than the limit', () => pings > 7)
  expect(started.harness.subscriptions.size).toBe(1)
  response.destroy()
})

test('V9: when the server stops, a stream ends whole, and the end waits for nothing else', async () => {
  await using started = await testServer({ limits: { farewellMs: 60_000 } })
  const response = await subscribed(started.url)
  const text = response.setEncoding('utf8').toArray()
  await until('it is attached', () => started.harness.subscriptions.size === 1)
  started.server.stopListening()
  await started.harness.close({ graceMs: 0 })
  await started.server.close()
  expect((await text).join('')).toMatch(/event: complete\ndata:\n\n$/)
})
