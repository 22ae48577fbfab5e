import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { readBody } from '../../src/server/http/read-body.ts'
import { send } from '../server/graphql-client.ts'
import { rawSocket } from '../server/raw-socket.ts'
import { until } from '../server/until.ts'
import { guardedServer, tokens } from './guarded-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = JSON.stringify({ query: '{ harness { version } }' })
const EVENTS = 'subscription { events(scopeId: "own") { type } }'

const unauthenticated = (body: string) =>
  expect(JSON.parse(body)).toEqual({
    errors: [{ message: expect.stringContaining('token') as string, extensions: { code: 'UNAUTHENTICATED' } }],
  })

test.each([
  `Bearer ${tokens.viewer}`,
  `bearer ${tokens.viewer}`,
  `BEARER   ${tokens.viewer}`,
])('V40: "%s" is somebody', async (authorization) => {
  await using started = await guardedServer()
  const headers = { ...JSON_TYPE, authorization }
  expect(await send(started.url, { method: 'POST', headers, body: BODY })).toMatchObject({
    status: 200,
    body: '{"data":{"harness":{"version":"0.0.0"}}}',
  })
})

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  `Bearer ${tokens.viewer}x`,
  `Bearer ${tokens.viewer.slice(0, -1)}`,
  `Bearer ${tokens.viewer} ${tokens.viewer}`,
  `Bearer ${tokens.viewer},${tokens.admin}`,
  `Basic ${Buffer.from(`viewer:${tokens.viewer}`).toString('base64')}`,
  tokens.viewer,
  `Token ${tokens.viewer}`,
  `Bearer ${'x'.repeat(5_000)}`,
])('V40: "%s" is nobody, for POST, GET and streams of events', async (authorization) => {
  await using started = await guardedServer()
  const headers = authorization === undefined ? {} : { authorization }
  const answers = [
    await send(started.url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: BODY }),
    await send(started.url, { path: '/graphql?query=%7B__typename%7D', headers }),
    await send(started.url, {
      path: `/graphql?query=${encodeURIComponent(EVENTS)}`,
      headers: { ...headers, accept: 'text/event-stream' },
    }),
  ]
  for (const { status, headers: got, body } of answers) {
    expect(status).toBe(401)
    expect(got).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' })
    unauthenticated(body)
  }
  expect(started.lines.filter(({ level }) => level !== 'info')).toEqual([])
})

test('V40: of a stranger not even the body is read', async () => {
  await using started = await guardedServer()
  const headers = { ...JSON_TYPE, 'content-length': String(1024 * 1024) }
  const request = httpRequest(started.url, { method: 'POST', headers })
  request.on('error', () => undefined)
  request.write('{')
  const [response] = (await once(request, 'response')) as [{ readonly statusCode: number }]
  expect(response.statusCode).toBe(401)
  request.destroy()
})

test.each<readonly [string, Record<string, unknown>]>([
  ['Authorization', { Authorization: `Bearer ${tokens.viewer}` }],
  ['authorization', { authorization: `bearer ${tokens.viewer}` }],
  ['token', { token: tokens.viewer }],
])('V40: a WebSocket is opened to whoever introduces himself by %s', async (_name, payload) => {
  await using started = await guardedServer()
  const client = await rawSocket(started.url)
  client.send({ type: 'connection_init', payload })
  expect(await client.message(({ type }) => type === 'connection_ack')).toBeDefined()
  client.socket.terminate()
})

test.each<readonly [string, unknown]>([
  ['nothing', undefined],
  ['an empty payload', {}],
  ['a token without Bearer', { Authorization: tokens.viewer }],
  ['another token', { Authorization: `Bearer ${tokens.viewer}x` }],
  ['an object in Authorization', { Authorization: { Bearer: tokens.viewer } }],
  ['a list in Authorization', { Authorization: [`Bearer ${tokens.viewer}`] }],
  ['a wrong token beside a good one', { authorization: 'Bearer wrong', token: tokens.viewer }],
  ['a token and a space', { token: `${tokens.viewer} ` }],
  ['a number', { token: 7 }],
  ['an object', { token: { length: 1 } }],
  ['a mebibyte', { token: 'x'.repeat(1024 * 1024) }],
  ['headers in the payload', { headers: { Authorization: `Bearer ${tokens.viewer}` } }],
])('V40: a WebSocket is closed to whoever introduces himself by %s', async (_name, payload) => {
  await using started = await guardedServer()
  const client = await rawSocket(started.url)
  client.send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) })
  expect(await client.closed).toEqual({ code: 4403, reason: 'Forbidden' })
  expect(client.messages).toEqual([])
  await until('nothing is left of it', () => started.server.sockets === 0)
  expect(started.harness.subscriptions.size).toBe(0)
})

test('V40: what is asked before an introduction was found good is not answered', async () => {
  await using started = await guardedServer()
  const client = await rawSocket(started.url)
  client.send({ type: 'connection_init', payload: { token: tokens.viewer } })
  client.subscribe('1', EVENTS)
  expect(await client.closed).toEqual({ code: 4401, reason: 'Unauthorized' })
  expect(client.messages.filter(({ type }) => type !== 'connection_ack')).toEqual([])
  expect(started.harness.subscriptions.size).toBe(0)
})

test('V40: a token in the header of the upgrade, in the address or in a cookie is no introduction', async () => {
  await using started = await guardedServer()
  const address = `${started.url.replace('http:', 'ws:')}?token=${tokens.viewer}`
  const headers = { authorization: `Bearer ${tokens.viewer}`, cookie: `token=${tokens.viewer}` }
  const socket = new WebSocket(address, 'graphql-transport-ws', { headers })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init' }))
  expect((await once(socket, 'close'))[0]).toBe(4403)
  const query = '/graphql?query=%7B__typename%7D'
  const inAddress = await send(started.url, { path: `${query}&token=${tokens.viewer}` })
  const inCookie = await send(started.url, { path: query, headers: { cookie: `token=${tokens.viewer}` } })
  expect([inAddress.status, inCookie.status]).toEqual([401, 401])
})

test('V40: the usual clients bring their tokens', async () => {
  await using started = await guardedServer()
  const bearer = { Authorization: `Bearer ${tokens.viewer}` }
  const query = '{ harness { version } }'
  const bySocket = createWsClient({
    url: started.url.replace('http:', 'ws:'),
    webSocketImpl: WebSocket,
    connectionParams: bearer,
    retryAttempts: 0,
  })
  const byEvents = createSseClient({ url: started.url, headers: bearer, retryAttempts: 0 })
  for (const client of [bySocket, byEvents]) {
    const step = await client.iterate({ query }).next()
    expect(step.value).toEqual({ data: { harness: { version: '0.0.0' } } })
    await client.dispose()
  }
})

test('V40: GraphiQL and its files, and the state of health, are there for strangers; the schema is not', async () => {
  await using started = await guardedServer()
  const page = await send(started.url, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  for (const path of ['/graphiql/graphiql.css', '/health/live', '/health/ready']) {
    expect(await send(started.url, { path })).toMatchObject({ status: 200 })
  }
  const body = JSON.stringify({ query: '{ __schema { types { name } } }' })
  expect(await send(started.url, { method: 'POST', headers: JSON_TYPE, body })).toMatchObject({ status: 401 })
})

test('V40: GraphiQL sends subscriptions in the way that brings the headers which are written in it', async () => {
  await using started = await guardedServer()
  const { body } = await send(started.url, { headers: { accept: 'text/html' } })
  expect(body).toContain('"subscriptionsProtocol":"SSE"')
  expect(body).toContain('"shouldPersistHeaders":false')
})

test('V40: nobody is let in while it cannot be found out who it is, and the log tells why', async () => {
  const authenticate = vi.fn<() => Promise<undefined>>().mockRejectedValue(new Error('keys.example is down'))
  await using started = await guardedServer({ authenticator: { authenticate } })
  const headers = { ...JSON_TYPE, authorization: `Bearer ${tokens.viewer}` }
  const answer = await send(started.url, { method: 'POST', headers, body: BODY })
  expect(answer.status).toBe(500)
  expect(answer.body).not.toContain('keys.example')
  const client = await rawSocket(started.url)
  client.send({ type: 'connection_init', payload: { token: tokens.viewer } })
  expect(await client.closed).toMatchObject({ code: 4500 })
  const told = started.lines.filter(({ fields }) => String(fields['err']).includes('keys.example is down'))
  expect(told).toHaveLength(2)
})

test('V40: the body of a client that has gone is not waited for', async () => {
  const { promise: read, resolve } = Promise.withResolvers<Promise<unknown>>()
  const server = createServer((request) => void request.once('close', () => resolve(readBody(request, 100))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = httpRequest({ port, method: 'POST', headers: { 'content-length': '100' } })
  request.on('error', () => undefined)
  request.write('{', () => request.destroy())
  await expect(read.then((body) => body)).rejects.toThrow('The client went away')
  server.close()
})
