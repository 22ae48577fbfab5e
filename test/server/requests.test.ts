import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { codesOf, send } from './graphql-client.ts'
import { testServer } from './test-server.ts'

const MIB = 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = JSON.stringify({ query: '{ __typename }' })

const codes = (body: string) => codesOf(JSON.parse(body) as Parameters<typeof codesOf>[0])

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/graphql+json',
  'Application/JSON;charset=UTF-8',
])('V2: a POST of %s is taken', async (type) => {
  await using started = await testServer()
  const answer = await send(started.url, { method: 'POST', headers: { 'content-type': type }, body: BODY })
  expect(answer).toMatchObject({ status: 200, body: '{"data":{"__typename":"Query"}}' })
})

test.each([
  'text/plain',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/graphql',
  'application/json, text/plain',
  'text/plain, application/json',
  'application/json; charset=utf-16',
  '',
])('V2: a POST of "%s" is refused, so that no page can send it unasked', async (type) => {
  await using started = await testServer()
  const answer = await send(started.url, { method: 'POST', headers: { 'content-type': type }, body: BODY })
  const headers = { 'accept-post': 'application/json, application/graphql+json' }
  expect(answer).toMatchObject({ status: 415, headers })
  expect(codes(answer.body)).toEqual(['UNSUPPORTED_MEDIA_TYPE'])
})

test('V2: a compressed body is refused', async () => {
  await using started = await testServer()
  const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
  expect(await send(started.url, { method: 'POST', headers, body: BODY })).toMatchObject({ status: 415 })
})

test('V2: GET executes queries only', async () => {
  await using started = await testServer()
  const mutation = encodeURIComponent('mutation { createSession(input: { scopeId: "default" }) { __typename } }')
  const answer = await send(started.url, { path: `/graphql?query=${mutation}` })
  expect(answer.status).toBe(405)
  expect(await started.stores.scopes.page(undefined, 10)).toEqual([])
})

test.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])('V2: %s is refused', async (method) => {
  await using started = await testServer()
  const answer = await send(started.url, { method, headers: JSON_TYPE })
  expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } })
})

test('V2: several operations in one request are refused', async () => {
  await using started = await testServer()
  const answer = await send(started.url, { method: 'POST', headers: JSON_TYPE, body: `[${BODY},${BODY}]` })
  expect(answer.status).toBe(400)
})

test('V4: a body of more than 4 MiB is refused, announced or not', async () => {
  await using started = await testServer()
  const body = JSON.stringify({ query: '{ __typename }', extensions: { filler: 'x'.repeat(5 * MIB) } })
  const announced = await send(started.url, { method: 'POST', headers: JSON_TYPE, body })
  expect(announced.status).toBe(413)
  expect(codes(announced.body)).toEqual(['BODY_TOO_LARGE'])
  const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' }
  const unannounced = await send(started.url, { method: 'POST', headers, body })
  expect(unannounced.status).toBe(413)
})

test('V4: a body of 4 MiB is taken', async () => {
  await using started = await testServer()
  const empty = JSON.stringify({ query: '{ __typename }', extensions: { filler: '' } })
  const body = empty.replace('""', `"${'x'.repeat(4 * MIB - empty.length)}"`)
  expect(Buffer.byteLength(body)).toBe(4 * MIB)
  expect(await send(started.url, { method: 'POST', headers: JSON_TYPE, body })).toMatchObject({ status: 200 })
})

test('V6: a client that goes away in the middle of its request leaves nothing, and the server goes on', async () => {
  await using started = await testServer()
  const request = httpRequest(started.url, { method: 'POST', headers: { ...JSON_TYPE, 'content-length': '1000' } })
  const gone = new Promise((resolve) => request.once('error', resolve))
  request.write('{"query":', () => request.destroy())
  await gone
  expect(await send(started.url, { method: 'POST', headers: JSON_TYPE, body: BODY })).toMatchObject({ status: 200 })
  expect(started.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('an address that does not exist is a 404, the root leads to the API', async () => {
  await using started = await testServer()
  expect(await send(started.url, { path: '/nothing' })).toMatchObject({ status: 404 })
  expect(await send(started.url, { path: '//evil.example/graphql' })).toMatchObject({ status: 404 })
  expect(await send(started.url, { path: '/' })).toMatchObject({ status: 302, headers: { location: '/graphql' } })
})

test('V1: no answer lets a browser guess, embed or cache it', async () => {
  await using started = await testServer()
  const answer = await send(started.url, { method: 'POST', headers: JSON_TYPE, body: BODY })
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
})
