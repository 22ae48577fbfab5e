import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { send } from './graphql-client.ts'
import { testServer } from './test-server.ts'

const PROTOCOL = 'graphql-transport-ws'
const QUERY = '/graphql?query=%7B__typename%7D'

/** The status with which an upgrade was answered: 101 when it was granted. */
async function upgradeStatus(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const socket = new WebSocket(url.replace('http:', 'ws:'), PROTOCOL, { headers })
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (request, response) => {
      request.destroy()
      resolve(response.statusCode ?? 0)
    })
  })
  const opened = once(socket, 'open').then(() => {
    socket.terminate()
    return 101
  })
  return Promise.race([refused, opened])
}

test('V1: it answers to its own names and to no other, on HTTP and on the WebSocket', async () => {
  await using started = await testServer({ hosts: ['agents.example.com'] })
  const { port } = new URL(started.url)
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, 'agents.example.com']
  for (const host of own) {
    expect(await send(started.url, { path: QUERY, headers: { host } })).toMatchObject({ status: 200 })
    expect(await upgradeStatus(started.url, { host })).toBe(101)
  }
  const foreign = ['evil.example', `evil.example:${port}`, 'localhost', '127.0.0.1:1', `localhost.evil.example:${port}`]
  for (const host of foreign) {
    expect(await send(started.url, { path: QUERY, headers: { host } })).toMatchObject({ status: 421 })
    expect(await send(started.url, { path: '/health/live', headers: { host } })).toMatchObject({ status: 421 })
    expect(await upgradeStatus(started.url, { host })).toBe(421)
  }
})

test('V1: pages of its own origin and of listed ones may use it, others may not, over HTTP and WebSocket', async () => {
  await using started = await testServer({ hosts: ['agents.example.com'], origins: ['http://localhost:5173'] })
  const { port } = new URL(started.url)
  const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const friends = [...own, 'https://agents.example.com', 'http://localhost:5173']
  for (const origin of friends) {
    expect(await send(started.url, { path: QUERY, headers: { origin } })).toMatchObject({ status: 200 })
    expect(await upgradeStatus(started.url, { origin })).toBe(101)
  }
  const near = ['http://localhost:5174', `https://localhost:${port}`, 'http://127.0.0.1']
  const strangers = ['https://evil.example', ...near, 'null', '']
  for (const origin of strangers) {
    const answer = await send(started.url, { path: QUERY, headers: { origin } })
    expect(answer).toMatchObject({ status: 403 })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    expect(await upgradeStatus(started.url, { origin })).toBe(403)
  }
})

test('V1: a page of another site that hides its origin may not use it, a link to it may be followed', async () => {
  await using started = await testServer()
  const from = (site: string, mode: string) =>
    send(started.url, { path: QUERY, headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } })
  expect(await from('cross-site', 'no-cors')).toMatchObject({ status: 403 })
  expect(await from('same-site', 'no-cors')).toMatchObject({ status: 403 })
  expect(await from('same-origin', 'cors')).toMatchObject({ status: 200 })
  expect(await from('cross-site', 'navigate')).toMatchObject({ status: 200 })
})

test('V1: only a listed origin is told that it may read answers', async () => {
  await using started = await testServer({ origins: ['http://localhost:5173'] })
  const preflight = (origin: string) =>
    send(started.url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const friend = await preflight('http://localhost:5173')
  expect(friend).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'http://localhost:5173' } })
  expect(friend.headers).not.toHaveProperty('access-control-allow-credentials')
  const answer = await send(started.url, { path: QUERY, headers: { origin: 'http://localhost:5173' } })
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'http://localhost:5173', vary: 'origin' })
  const own = await send(started.url, { path: QUERY, headers: { origin: new URL(started.url).origin } })
  expect(own.headers).not.toHaveProperty('access-control-allow-origin')
  expect(await preflight('https://evil.example')).toMatchObject({ status: 403 })
})

test('V1: a WebSocket is only served at the address of the API', async () => {
  await using started = await testServer()
  expect(await upgradeStatus(started.url.replace('/graphql', '/health/live'), {})).toBe(404)
})

test('an offer to speak another protocol is ignored', async () => {
  await using started = await testServer()
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
  expect(await send(started.url, { path: QUERY, headers })).toMatchObject({ status: 200 })
})
