import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type RawAnswer, type RawRequest, send } from '../server/graphql-client.ts'
import { guardedServer, tokens } from './guarded-server.ts'

const good = { authorization: `Bearer ${tokens.root}` }
const JSON_TYPE = { 'content-type': 'application/json' }
const MUTATION = 'mutation { createSession(input: { scopeId: "own", sessionId: "evil" }) { __typename } }'
const BODY = JSON.stringify({ query: MUTATION })
const QUERY = '/graphql?query=%7B__typename%7D'
const evil = 'https://evil.example'

/** What a page of somebody else can make a browser send, and a name that it may have pointed at the server. */
const attacks: readonly (readonly [what: string, status: number, request: RawRequest])[] = [
  ['a script', 403, { method: 'POST', headers: { ...JSON_TYPE, origin: evil }, body: BODY }],
  ['a sandboxed frame', 403, { method: 'POST', headers: { ...JSON_TYPE, origin: 'null' }, body: BODY }],
  ['a script that asks before', 403, {
    method: 'OPTIONS',
    headers: {
      origin: evil,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  }],
  ['a form', 403, {
    method: 'POST',
    headers: { origin: evil, 'content-type': 'application/x-www-form-urlencoded' },
    body: `query=${encodeURIComponent(MUTATION)}`,
  }],
  ['a form from a page without an origin', 415, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `query=${encodeURIComponent(MUTATION)}`,
  }],
  ['a form with a file', 415, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n${BODY}\r\n--x--\r\n`,
  }],
  ['plain text', 415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: BODY }],
  ['a beacon without a type', 415, { method: 'POST', body: BODY }],
  ['an image', 403, { path: QUERY, headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } }],
  ['a page of another port', 403, { path: QUERY, headers: { origin: 'http://localhost:5174' } }],
  ['a rebound name', 421, { method: 'POST', headers: { ...JSON_TYPE, host: 'evil.example:4000' }, body: BODY }],
  ['a rebound name and its origin', 421, {
    method: 'POST',
    headers: { ...JSON_TYPE, host: 'evil.example:4000', origin: 'http://evil.example:4000' },
    body: BODY,
  }],
]

test.each(attacks)('V44: %s is refused before anybody is known, and with the best of tokens', async (...attack) => {
  const [, status, request] = attack
  await using started = await guardedServer()
  const answers: RawAnswer[] = []
  for (const more of [{}, good, { authorization: 'Bearer wrong' }]) {
    answers.push(await send(started.url, { ...request, headers: { ...request.headers, ...more } }))
  }
  for (const answer of answers) {
    expect(answer.status).toBe(status)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(answer.headers).not.toHaveProperty('www-authenticate')
    expect(answer.body).toBe(answers[0]?.body)
  }
  expect(await started.stores.scopes.page(undefined, 10)).toEqual([])
})

/** The status with which an upgrade was answered, or the code with which the WebSocket was closed after a good token. */
async function opened(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const socket = new WebSocket(url.replace('http:', 'ws:'), 'graphql-transport-ws', { headers })
  const { promise, resolve } = Promise.withResolvers<number>()
  socket.on('error', () => undefined)
  socket.once('unexpected-response', (request, response) => {
    request.destroy()
    resolve(response.statusCode ?? 0)
  })
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { token: tokens.root } })))
  socket.once('message', (data: Buffer) => resolve(data.toString().includes('connection_ack') ? 101 : 0))
  socket.once('close', resolve)
  const status = await promise
  socket.terminate()
  return status
}

test.each<readonly [string, number, Record<string, string>]>([
  ['of another origin', 403, { origin: evil }],
  ['of a sandboxed frame', 403, { origin: 'null' }],
  ['of a rebound name', 421, { host: 'evil.example', origin: 'http://evil.example' }],
  ['of another origin with a token in a header', 403, { origin: evil, ...good }],
])('V44: a WebSocket %s is not opened, so that a token cannot be tried', async (_what, status, headers) => {
  await using started = await guardedServer()
  expect(await opened(started.url, headers)).toBe(status)
  expect(started.server.sockets).toBe(0)
})

test('V44: pages of listed origins and requests to listed names come in with a token, and not without', async () => {
  await using started = await guardedServer({ hosts: ['agents.example.com'], origins: ['http://localhost:5173'] })
  const friends: readonly Record<string, string>[] = [
    { origin: 'http://localhost:5173' },
    { host: 'agents.example.com' },
    { host: 'agents.example.com', origin: 'https://agents.example.com' },
  ]
  for (const headers of friends) {
    expect(await send(started.url, { path: QUERY, headers: { ...headers, ...good } })).toMatchObject({ status: 200 })
    expect(await send(started.url, { path: QUERY, headers })).toMatchObject({ status: 401 })
    expect(await opened(started.url, headers)).toBe(101)
  }
  for (const headers of [{ origin: 'http://localhost:5174' }, { host: 'agents.example.com.evil.example' }]) {
    const { status } = await send(started.url, { path: QUERY, headers: { ...headers, ...good } })
    expect([403, 421]).toContain(status)
  }
})

test('V44: a page of a listed origin may send its token, and read that it was no good', async () => {
  const origin = 'http://localhost:5173'
  await using started = await guardedServer({ origins: [origin] })
  const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
  const preflight = await send(started.url, { method: 'OPTIONS', headers: asked })
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } })
  expect(String(preflight.headers['access-control-allow-headers']).split(', ')).toContain('authorization')
  expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
  const refused = await send(started.url, { path: QUERY, headers: { origin } })
  expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': origin, vary: 'origin' } })
})
