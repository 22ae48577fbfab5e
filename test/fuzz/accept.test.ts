import { expect, test } from 'vitest'
import { post, send } from '../server/graphql-client.ts'
import { testServer } from '../server/test-server.ts'

const CREATE = 'mutation { createSession(input: { scopeId: "default" }) { __typename } }'
const EVENTS = 'subscription { events(scopeId: "default") { __typename } }'
const SESSIONS = '{ scope(id: "default") { sessionCount } }'

const ask = (url: string, query: string, accept: string) => {
  const headers = { 'content-type': 'application/json', accept }
  return send(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
}

test.each(['application/xml', 'text/html', 'application/json; charset=utf-16', 'image/*'])(
  'V70: a mutation whose answer is wanted as %s is not executed',
  async (accept) => {
    await using started = await testServer()
    expect(await ask(started.url, CREATE, accept)).toMatchObject({ status: 406 })
    expect((await post(started.url, SESSIONS)).data).toEqual({ scope: { sessionCount: 0 } })
  },
)

test.each(['application/json', '*/json', 'application/*', '*/*', 'text/html, */*; q=0.1', 'text/event-stream'])(
  'a mutation whose answer is wanted as %s is executed',
  async (accept) => {
    await using started = await testServer()
    expect(await ask(started.url, CREATE, accept)).toMatchObject({ status: 200 })
    expect((await post(started.url, SESSIONS)).data).toEqual({ scope: { sessionCount: 1 } })
  },
)

test('V70: a subscription whose events are wanted as JSON is refused with a code, and does not begin', async () => {
  await using started = await testServer()
  await post(started.url, CREATE)
  for (const accept of ['application/graphql-response+json', 'application/json']) {
    const { body } = await ask(started.url, EVENTS, accept)
    expect(body).toContain('"code":"NOT_ACCEPTABLE"')
    expect(started.harness.subscriptions.size).toBe(0)
  }
  for (const accept of ['multipart/mixed', 'application/xml']) {
    expect(await ask(started.url, EVENTS, accept)).toMatchObject({ status: 406 })
    expect(started.harness.subscriptions.size).toBe(0)
  }
})
