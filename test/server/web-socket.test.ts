import { expect, test } from 'vitest'
import { post } from './graphql-client.ts'
import { acknowledged, rawSocket } from './raw-socket.ts'
import { testServer } from './test-server.ts'
import { until } from './until.ts'

const EVENTS = 'subscription { events(scopeId: "default") { __typename } }'
const CREATE = 'mutation { createSession(input: { scopeId: "default" }) { __typename } }'

test('queries, mutations and subscriptions all work over one WebSocket', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('s', EVENTS)
  await until('the subscription is attached', () => started.harness.subscriptions.size === 1)
  client.subscribe('m', CREATE)
  client.subscribe('q', '{ harness { version } }')
  expect(await client.message(({ id, type }) => id === 'q' && type === 'next')).toMatchObject({
    payload: { data: { harness: { version: '0.0.0' } } },
  })
  expect(await client.message(({ id, type }) => id === 'm' && type === 'next')).toMatchObject({
    payload: { data: { createSession: { __typename: 'CreateSessionPayload' } } },
  })
  expect(await client.message(({ id, type }) => id === 's' && type === 'next')).toMatchObject({
    payload: { data: { events: { __typename: 'SessionCreatedEvent' } } },
  })
  client.socket.terminate()
})

test('V5: a WebSocket that names no subprotocol is closed', async () => {
  await using started = await testServer()
  const { closed } = await rawSocket(started.url, null)
  expect(await closed).toMatchObject({ code: 4406 })
})

test.each(['graphql-ws', 'mqtt'])('V5: the subprotocol %s is not spoken', async (protocol) => {
  await using started = await testServer()
  await expect(rawSocket(started.url, protocol)).rejects.toThrow('Server sent no subprotocol')
  await until('it was closed', () => started.server.sockets === 0)
})

test('V5: a client that does not introduce itself in time is let go', async () => {
  await using started = await testServer({ limits: { initMs: 50 } })
  const { closed } = await rawSocket(started.url)
  expect(await closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
})

test.each([
  ['{', 4400],
  [{ type: 'nonsense' }, 4400],
  [{ type: 'subscribe', id: '1', payload: { query: 7 } }, 4400],
  [{ type: 'subscribe', id: '1', payload: { query: EVENTS } }, 4401],
])('a message that breaks the protocol closes its own socket: %j', async (message, code) => {
  await using started = await testServer()
  const bystander = await acknowledged(started.url)
  const client = await rawSocket(started.url)
  client.send(message)
  expect(await client.closed).toMatchObject({ code })
  bystander.subscribe('1', '{ __typename }')
  expect(await bystander.message(({ type }) => type === 'next')).toBeDefined()
  bystander.socket.terminate()
})

test('V4: a message of more than 4 MiB closes its socket', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('1', `{ __typename } # ${'x'.repeat(5 * 1024 * 1024)}`)
  expect(await client.closed).toMatchObject({ code: 1009 })
})

test('V5: a WebSocket has a bounded number of operations at once, and takes more when some have ended', async () => {
  await using started = await testServer({ limits: { maxOperationsPerSocket: 3 } })
  const client = await acknowledged(started.url)
  for (const id of ['1', '2', '3', '4']) client.subscribe(id, EVENTS)
  expect(await client.message(({ type }) => type === 'error')).toMatchObject({
    id: '4',
    payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
  })
  client.send({ id: '2', type: 'complete' })
  await until('the second has ended', () => started.harness.subscriptions.size === 2)
  client.subscribe('5', EVENTS)
  await until('the fifth has begun', () => started.harness.subscriptions.size === 3)
  client.socket.terminate()
})

test('V5: there is a bounded number of WebSockets', async () => {
  await using started = await testServer({ limits: { maxSockets: 2 } })
  const clients = [await acknowledged(started.url), await acknowledged(started.url)]
  await expect(rawSocket(started.url)).rejects.toThrow('503')
  clients[0]!.socket.terminate()
  await until('one has gone', () => started.server.sockets === 1)
  const another = await acknowledged(started.url)
  for (const { socket } of [...clients, another]) socket.terminate()
})

test('V5: a client that reads nothing any more is cut', async () => {
  await using started = await testServer({ limits: { pingMs: 50, stallMs: 500 } })
  const client = await acknowledged(started.url)
  client.subscribe('1', EVENTS)
  await until('it is attached', () => started.harness.subscriptions.size === 1)
  client.socket.pause()
  await until('it was cut', () => started.server.sockets === 0)
  expect(started.harness.subscriptions.size).toBe(0)
  expect(started.lines).toContainEqual(expect.objectContaining({ message: 'a WebSocket was cut' }))
  client.socket.terminate()
})

test('V4: an id of an operation that is too long is refused, and the socket goes on', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('x'.repeat(257), '{ __typename }')
  const refusal = await client.message(({ type }) => type === 'error')
  expect(refusal).toMatchObject({ payload: [{ extensions: { code: 'BAD_REQUEST' } }] })
  client.subscribe('1', '{ __typename }')
  expect(await client.message(({ type, id }) => type === 'complete' && id === '1')).toBeDefined()
  client.socket.terminate()
})

test('V9: when the harness closes, a subscription still gets what was committed before, over WebSocket', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('1', 'subscription { events(scopeId: "default", deltas: false) { __typename } }')
  await until('it is attached', () => started.harness.subscriptions.size === 1)
  started.models.onCall = (call) => call.start().delta('half ')
  const session = '(input: { scopeId: "default", sessionId: "s" '
  await post(started.url, `mutation { createSession${session}}) { __typename } }`)
  await post(started.url, `mutation { enqueuePrompt${session} text: "x" }) { __typename } }`)
  await until('the model was asked', () => started.models.calls.length === 1)
  const closed = started.harness.close({ graceMs: 5_000 })
  started.models.last.delta('whole').end().finish()
  await closed
  await client.message(({ type }) => type === 'complete')
  const names = client.messages.map(({ payload }) => /\w+Event/.exec(JSON.stringify(payload ?? ''))?.[0])
  expect(names.slice(-4)).toEqual(['MessageUpdatedEvent', 'PromptFinishedEvent', 'RunFinishedEvent', undefined])
  client.socket.terminate()
})

test('V9: when the server stops, subscriptions end whole and the socket is closed as going away', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('1', EVENTS)
  await until('it is attached', () => started.harness.subscriptions.size === 1)
  await post(started.url, CREATE)
  started.server.stopListening()
  await started.harness.close({ graceMs: 0 })
  await started.server.close()
  expect(client.messages.map(({ type }) => type)).toEqual(['connection_ack', 'next', 'complete'])
  expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' })
})
