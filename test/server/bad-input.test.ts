import { expect, test } from 'vitest'
import { codesOf, post, send } from './graphql-client.ts'
import { acknowledged } from './raw-socket.ts'
import { testServer, type TestServer } from './test-server.ts'

const CREATE = `mutation($input: CreateSessionInput!) {
  createSession(input: $input) { __typename ... on Error { code message } }
}`
const ENQUEUE = `mutation($input: EnqueuePromptInput!) {
  enqueuePrompt(input: $input) { __typename ... on Error { code message } }
}`
const STORED = `{
  scope(id: "default") { revision sessions(first: 10) { edges { node { sessionId queue { queueId } } } } }
}`
const LOG = `query($scope: ID!, $after: String) {
  scope(id: $scope) { events(first: 1, after: $after) { edges { cursor } } }
}`

const NO_CURSOR = '{ scope(id: "default") { events(first: 1, after: "nonsense") { edges { cursor } } } }'

const TEN_KB = 'x'.repeat(10_000)
const inDefault = { scopeId: 'default', sessionId: 's' }
const attached = (url: string, mediaType = 'text/plain') => ({
  ...inDefault,
  text: 'look',
  attachments: [{ mediaType, url }],
})

/** A server with one session, and a question of what is stored in it. */
async function withSession(): Promise<{ readonly started: TestServer; readonly stored: () => Promise<unknown> }> {
  const started = await testServer()
  await post(started.url, CREATE, { input: inDefault })
  return { started, stored: async () => (await post(started.url, STORED)).data }
}

test.each<readonly [string, string, unknown]>([
  ['an id of 10 kB', CREATE, { scopeId: 'default', sessionId: TEN_KB }],
  ['a scope id of 10 kB', CREATE, { scopeId: TEN_KB }],
  ['an empty id', CREATE, { scopeId: 'default', sessionId: '' }],
  ['control characters in an id', CREATE, { scopeId: 'default', sessionId: 'a\u0007b' }],
  ['control characters in a title', CREATE, { scopeId: 'default', title: 'a\u001Bb' }],
  ['NUL in a title', CREATE, { scopeId: 'default', title: 'a\0b' }],
  ['a lone surrogate in a title', CREATE, { scopeId: 'default', title: '\uD83D' }],
  ['metadata of more than 16 KiB', CREATE, { scopeId: 'default', metadata: { filler: 'x'.repeat(17 * 1024) } }],
  ['an empty prompt', ENQUEUE, { ...inDefault, text: '' }],
  ['NUL in a prompt', ENQUEUE, { ...inDefault, text: 'a\0b' }],
  ['a lone surrogate in a prompt', ENQUEUE, { ...inDefault, text: 'x\uDC00y' }],
  ['control characters in a prompt', ENQUEUE, { ...inDefault, text: 'a\u0008b' }],
  ['no steps', ENQUEUE, { ...inDefault, text: 'x', options: { maxSteps: 0 } }],
  ['an attachment by link', ENQUEUE, attached('https://example.com/a.txt')],
  ['an attachment that is no URL', ENQUEUE, attached('nothing')],
  ['an attachment with a media type that is none', ENQUEUE, attached('data:,a', '??')],
])('V11: %s is refused with a typed error, and nothing is stored', async (_what, mutation, input) => {
  const { started, stored } = await withSession()
  await using _ = started
  const before = await stored()
  const { data, errors } = await post(started.url, mutation, { input })
  expect(errors).toBeUndefined()
  const [result] = Object.values(data ?? {})
  expect(result).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION_FAILED' })
  expect(await stored()).toEqual(before)
})

test('V11: a prompt over the limit is refused with a typed error, and nothing is stored', async () => {
  const { started, stored } = await withSession()
  await using _ = started
  const before = await stored()
  const { data } = await post(started.url, ENQUEUE, { input: { ...inDefault, text: 'x'.repeat(1024 * 1024 + 1) } })
  expect(data).toMatchObject({ enqueuePrompt: { __typename: 'QueueFullError', code: 'QUEUE_FULL' } })
  expect(await stored()).toEqual(before)
})

test('V11: a session that does not exist is told so', async () => {
  await using started = await testServer()
  const { data } = await post(started.url, ENQUEUE, { input: { ...inDefault, text: 'x' } })
  expect(data).toMatchObject({ enqueuePrompt: { __typename: 'NotFoundError', code: 'NOT_FOUND' } })
})

interface Request {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

test.each<readonly [string, Request, string]>([
  ['an unknown field', { query: '{ harness { nothing } }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['an unknown input field', { query: CREATE, variables: { input: { scopeId: 'a', colour: 1 } } }, 'BAD_USER_INPUT'],
  ['a wrong type', { query: CREATE, variables: { input: { scopeId: 'default', title: 7 } } }, 'BAD_USER_INPUT'],
  ['a missing input', { query: CREATE }, 'BAD_USER_INPUT'],
  ['a document that does not parse', { query: '{ harness' }, 'GRAPHQL_PARSE_FAILED'],
  ['a cursor that is none', { query: NO_CURSOR }, 'VALIDATION_FAILED'],
])('V11: %s is an error with a code', async (_what, { query, variables }, code) => {
  const { started, stored } = await withSession()
  await using _ = started
  const before = await stored()
  expect(codesOf(await post(started.url, query, variables))).toEqual([code])
  expect(await stored()).toEqual(before)
})

test('V11: a cursor of another scope is refused, by queries and by subscriptions', async () => {
  const { started } = await withSession()
  await using _ = started
  await post(started.url, CREATE, { input: { scopeId: 'other' } })
  const { data } = await post(started.url, LOG, { scope: 'other' })
  const { scope } = data as { scope: { events: { edges: readonly { cursor: string }[] } } }
  const foreign = scope.events.edges[0]!.cursor
  expect(codesOf(await post(started.url, LOG, { scope: 'default', after: foreign }))).toEqual(['VALIDATION_FAILED'])

  const client = await acknowledged(started.url)
  const events = 'subscription($after: String) { events(scopeId: "default", after: $after) { sequence } }'
  client.subscribe('1', events, { after: foreign })
  const { payload } = await client.message(({ id }) => id === '1')
  expect(JSON.stringify(payload)).toContain('"code":"VALIDATION_FAILED"')
  client.socket.terminate()
})

test.each<readonly [string, string | Buffer]>([
  ['malformed JSON', '{"query": "{ __typename }"'],
  ['nothing', ''],
  ['a number', '7'],
  ['null', 'null'],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a query that is no text', '{"query": 7}'],
  ['variables that are no object', '{"query": "{ __typename }", "variables": "x"}'],
  ['an unknown parameter', '{"query": "{ __typename }", "doc": 1}'],
])('V11: a body of %s is a 400 with a code, and the server goes on', async (_what, body) => {
  await using started = await testServer()
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const answer = await send(started.url, { method: 'POST', headers, body })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  expect(codesOf(await post(started.url, '{ __typename }'))).toEqual([])
})

test('V11: variables in a URL that are no JSON are a 400 with a code', async () => {
  await using started = await testServer()
  const answer = await send(started.url, { path: '/graphql?query=%7B__typename%7D&variables=%7B' })
  expect(answer).toMatchObject({ status: 400 })
  expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
})

test('V11: metadata that is nested beyond reason harms nobody', async () => {
  const { started, stored } = await withSession()
  await using _ = started
  const before = await stored()
  const metadata = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const variables = `{"input": {"scopeId": "default", "metadata": ${metadata}}}`
  const body = `{"query": ${JSON.stringify(CREATE)}, "variables": ${variables}}`
  const answer = await send(started.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(answer.body).toContain('"code":"VALIDATION_FAILED"')
  expect(await stored()).toEqual(before)
})
