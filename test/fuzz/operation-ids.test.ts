import { expect, test } from 'vitest'
import { acknowledged, rawSocket } from '../server/raw-socket.ts'
import { post } from '../server/graphql-client.ts'
import { testServer } from '../server/test-server.ts'
import { until } from '../server/until.ts'

const EVENTS = 'subscription { events(scopeId: "default") { __typename } }'
const CREATE = 'mutation { createSession(input: { scopeId: "default" }) { __typename } }'

test('V72: an id that is used again at once, again and again, is that of one operation, told once', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  for (let round = 0; round < 20; round++) {
    client.subscribe('1', round % 3 === 0 ? '{ nothing }' : EVENTS)
    client.send({ id: '1', type: 'complete' })
  }
  client.subscribe('1', EVENTS)
  client.subscribe('2', '{ __typename }')
  await client.message(({ type, id }) => type === 'complete' && id === '2')
  await until('the others have ended', () => started.harness.subscriptions.size === 1)
  await post(started.url, CREATE)
  await client.message(({ type, id }) => type === 'next' && id === '1')
  client.subscribe('3', '{ __typename }')
  await client.message(({ type, id }) => type === 'complete' && id === '3')
  expect(client.messages.filter(({ type, id }) => type === 'next' && id === '1')).toHaveLength(1)
  client.socket.terminate()
  await until('nothing is left', () => started.harness.subscriptions.size === 0 && started.server.sockets === 0)
})

test('V72: an id that is still in use closes the connection, and so does what only servers say', async () => {
  await using started = await testServer()
  const client = await acknowledged(started.url)
  client.subscribe('x'.repeat(200), EVENTS)
  client.subscribe('x'.repeat(200), EVENTS)
  expect(await client.closed).toMatchObject({ code: 4409 })
  const other = await rawSocket(started.url)
  other.send({ id: '1', type: 'next', payload: {} })
  expect(await other.closed).toMatchObject({ code: 4400 })
  await until('nothing is left', () => started.harness.subscriptions.size === 0 && started.server.sockets === 0)
})
