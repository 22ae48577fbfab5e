import { createClient } from 'graphql-sse'
import { expect, test } from 'vitest'
import { codesOf, post, send } from './graphql-client.ts'
import { acknowledged } from './raw-socket.ts'
import { testServer } from './test-server.ts'

const deep = (levels: number): string =>
  `{ session(scopeId: "a", sessionId: "b") ${'{ parent '.repeat(levels - 2)}{ id }${'}'.repeat(levels - 2)} }`

const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')

const aliased = (count: number): string => `{ ${aliases(count, '__typename')} }`

const sessions = (first: string): string => `scope(id: "a") {
  sessions(first: ${first}) {
    edges { node { children(first: ${first}) { edges { node { id title depth agent } } } } }
  }
}`

const wide = (first: number): string => `{ ${sessions(`${first}`)} }`

const byVariable = `query($first: Int) { ${sessions('$first')} }`

const TOKENS_AROUND = 26

const tokens = (count: number): string => {
  const types = 'RUN_STARTED '.repeat(count - TOKENS_AROUND)
  return `{ scope(id: "a") { events(first: 1, types: [${types}]) { edges { cursor } } } }`
}

test.each<readonly [string, readonly [allowed: string, refused: string], string]>([
  ['30 levels', [deep(30), deep(31)], 'TOO_DEEP'],
  ['60 aliases', [aliased(60), aliased(61)], 'TOO_MANY_ALIASES'],
  ['a complexity of 100,000', [wide(100), wide(200)], 'TOO_COMPLEX'],
  ['5,000 tokens', [tokens(5_000), tokens(5_001)], 'GRAPHQL_PARSE_FAILED'],
])('V4: an operation has at most %s, over HTTP and over WebSocket', async (_limit, [allowed, refused], code) => {
  await using started = await testServer()
  expect(codesOf(await post(started.url, allowed))).toEqual([])
  expect(codesOf(await post(started.url, refused))).toEqual([code])

  const client = await acknowledged(started.url)
  client.subscribe('allowed', allowed)
  expect(await client.message(({ id }) => id === 'allowed')).not.toHaveProperty('payload.errors')
  client.subscribe('refused', refused)
  const { payload } = await client.message(({ id }) => id === 'refused')
  const errors = Array.isArray(payload) ? payload : (payload as { errors: readonly unknown[] }).errors
  expect(errors).toMatchObject([{ extensions: { code } }])
  expect(JSON.stringify(errors)).not.toMatch(/"http"|"unexpected"/)
  client.socket.terminate()
})

test('V4: the variables count, also when the same document was fine before', async () => {
  await using started = await testServer()
  expect(codesOf(await post(started.url, byVariable, { first: 2 }))).toEqual([])
  expect(codesOf(await post(started.url, byVariable, { first: 200 }))).toEqual(['TOO_COMPLEX'])
  expect(codesOf(await post(started.url, byVariable, { first: 2 }))).toEqual([])
})

test('V4: the operation counts that is executed, not the first of the document', async () => {
  await using started = await testServer()
  const query = `query small { __typename } query large ${aliased(61)}`
  const ask = async (operationName: string) => {
    const body = JSON.stringify({ query, operationName })
    const answer = await send(started.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return codesOf(JSON.parse(answer.body) as Parameters<typeof codesOf>[0])
  }
  expect(await ask('small')).toEqual([])
  expect(await ask('large')).toEqual(['TOO_MANY_ALIASES'])
})

test('V4: subscriptions have limits too, over WebSocket and as a stream of events', async () => {
  await using started = await testServer()
  const query = `subscription { events(scopeId: "default") { ${aliases(61, 'sequence')} } }`

  const client = await acknowledged(started.url)
  client.subscribe('1', query)
  const message = await client.message(({ id }) => id === '1')
  expect(message).toMatchObject({ payload: { errors: [{ extensions: { code: 'TOO_MANY_ALIASES' } }] } })
  client.socket.terminate()

  const results = createClient({ url: started.url, retryAttempts: 0 }).iterate({ query })
  const codes: unknown[] = []
  for await (const { errors = [] } of results) codes.push(...errors.map(({ extensions }) => extensions?.['code']))
  expect(codes).toEqual(['TOO_MANY_ALIASES'])
  expect(started.harness.subscriptions.size).toBe(0)
})

test('a refused operation has the status of a document that is not valid', async () => {
  await using started = await testServer()
  const ask = (accept: string) =>
    send(started.url, { path: `/graphql?query=${encodeURIComponent(aliased(61))}`, headers: { accept } })
  expect(await ask('application/graphql-response+json')).toMatchObject({ status: 400 })
  expect(await ask('application/json')).toMatchObject({ status: 200 })
})
