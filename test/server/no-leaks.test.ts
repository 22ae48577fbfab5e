import { expect, test } from 'vitest'
import { post } from './graphql-client.ts'
import { acknowledged } from './raw-socket.ts'
import { testServer } from './test-server.ts'
import { until } from './until.ts'

const EVENTS = 'subscription { events(scopeId: "default") { __typename } }'
const LIVE = 'subscription { liveRun(scopeId: "default", sessionId: "s") { __typename } }'
const CREATE = 'mutation { createSession(input: { scopeId: "default", sessionId: "s" }) { __typename } }'
const ENQUEUE = 'mutation { enqueuePrompt(input: { scopeId: "default", sessionId: "s", text: "x" }) { __typename } }'

const CLIENTS = 1_000
const AT_ONCE = 50

/** Does it for every client, some at once. */
async function forAll(what: (client: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < CLIENTS; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => what(first + index)))
  }
}

test('V6: nothing is left of 1,000 WebSockets that subscribed and were dropped', async () => {
  await using started = await testServer()
  await post(started.url, CREATE)
  await post(started.url, ENQUEUE)
  await forAll(async (client) => {
    const { subscribe, message, socket } = await acknowledged(started.url)
    subscribe('1', EVENTS)
    subscribe('2', LIVE)
    // Some are dropped while they are attached, some before they are.
    if (client % 2 === 0) await message(({ type, id }) => type === 'next' && id === '2')
    socket.terminate()
  })
  await until('all sockets have ended', () => started.server.sockets === 0)
  await until('all subscriptions have ended', () => started.harness.subscriptions.size === 0)
  expect(started.lines.filter(({ level }) => level === 'error')).toEqual([])
}, 120_000)

test('V6: nothing is left of 1,000 streams of events that were dropped', async () => {
  await using started = await testServer()
  await post(started.url, CREATE)
  await post(started.url, ENQUEUE)
  await forAll(async (client) => {
    const dropped = new AbortController()
    const response = await fetch(started.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: client % 2 === 0 ? EVENTS : LIVE }),
      signal: dropped.signal,
    })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    dropped.abort()
  })
  await until('all subscriptions have ended', () => started.harness.subscriptions.size === 0)
  expect(started.lines.filter(({ level }) => level === 'error')).toEqual([])
}, 120_000)

test('V6: nothing is left of a stream whose client went before it began', async () => {
  await using started = await testServer()
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const response = fetch(`${started.url}?query=${encodeURIComponent(EVENTS)}`, {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.timeout(index % 10),
      })
      await response.then(({ body }) => body?.cancel()).catch(() => undefined)
    }),
  )
  await until('all subscriptions have ended', () => started.harness.subscriptions.size === 0)
  expect(started.lines.filter(({ level }) => level === 'error')).toEqual([])
})
