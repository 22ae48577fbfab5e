import { createClient } from 'graphql-sse'
import { expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { post } from './graphql-client.ts'
import { acknowledged } from './raw-socket.ts'
import { testServer, type TestServer } from './test-server.ts'

const SECRET = 'postgresql://user:secret@db'
const QUERY = '{ session(scopeId: "default", sessionId: "s") { id } }'
const EVENTS = 'subscription { events(scopeId: "default", sessionId: "s") { sequence } }'

const broken = (stores: Stores): Stores => ({
  ...stores,
  scopes: { ...stores.scopes, findNamed: () => Promise.reject(new Error(SECRET)) },
})

/** That the answer is masked, and that the log tells the story under the reference that the client got. */
function expectMasked(errors: unknown, { lines }: TestServer): void {
  expect(JSON.stringify(errors)).not.toMatch(/secret|"unexpected"|"http"|stack/)
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
  const [{ extensions }] = errors as [{ extensions: { reference: string } }]
  const line = lines.find(({ fields }) => fields['reference'] === extensions.reference)
  expect(line).toMatchObject({ level: 'error' })
  expect(String(line?.fields['err'])).toContain(SECRET)
}

test('V7: a fault of a query is masked over HTTP, with a reference to the log', async () => {
  await using started = await testServer({ decorate: broken })
  const { errors } = await post(started.url, QUERY)
  expectMasked(errors, started)
})

test.each([QUERY, EVENTS])('V7: a fault is masked over WebSocket, and the socket goes on: %s', async (query) => {
  await using started = await testServer({ decorate: broken })
  const client = await acknowledged(started.url)
  client.subscribe('1', query)
  const { payload } = await client.message(({ id }) => id === '1')
  expectMasked(Array.isArray(payload) ? payload : (payload as { errors: unknown }).errors, started)
  client.subscribe('2', '{ __typename }')
  expect(await client.message(({ id, type }) => id === '2' && type === 'complete')).toBeDefined()
  client.socket.terminate()
})

test('V7: a fault of a subscription is masked in a stream of events', async () => {
  await using started = await testServer({ decorate: broken })
  const all: unknown[] = []
  const results = createClient({ url: started.url, retryAttempts: 0 }).iterate({ query: EVENTS })
  for await (const { errors = [] } of results) all.push(...errors)
  expectMasked(all, started)
})
