import { expect, test } from 'vitest'
import { scratchFolder, startServer } from '../support/server-process.ts'
import { ask, stream, watch } from './client.ts'
import {
  ABORT,
  CONVERSATION,
  type Conversation,
  CREATE,
  ENQUEUE,
  type Event,
  EVENTS,
  isDelta,
  isFinished,
  isInterrupted,
} from './operations.ts'

const session = 'first'

test.each(['SIGTERM', 'SIGINT'] as const)('V9: %s lets runs and subscriptions end, then ends well', async (signal) => {
  using folder = scratchFolder()
  await using server = await startServer({ folder: folder.path })
  await ask(server.url, CREATE, { session })
  const byWebSocket = watch<Event>(server.url, EVENTS, { session })
  const byEvents = stream<Event>(server.url, EVENTS, { session })
  await ask(server.url, ENQUEUE, { session, text: 'count to 60 slowly' })
  for (const { first } of [byWebSocket, byEvents]) await first(isDelta)

  const exit = await server.end(signal)
  expect(exit).toMatchObject({ code: 0, signal: null })
  for (const { received, ended } of [byWebSocket, byEvents]) {
    await ended
    expect(received.find(isFinished)).toMatchObject({ status: 'COMPLETED' })
  }
}, 180_000)

test('V9: a run that does not end in time goes on after a restart, and then the queue does', async () => {
  using folder = scratchFolder()
  await using first = await startServer({ folder: folder.path })
  await ask(first.url, CREATE, { session })
  const watched = watch<Event>(first.url, EVENTS, { session })
  await ask(first.url, ENQUEUE, { session, text: 'count to 2000 slowly' })
  await ask(first.url, ENQUEUE, { session, text: 'hello' })
  await watched.first(isDelta)
  expect(await first.end('SIGTERM')).toMatchObject({ code: 0 })
  await watched.ended
  expect(watched.received.filter(isFinished)).toEqual([])

  await using second = await startServer({ folder: folder.path })
  const cursor = watched.received.findLast((event) => event.cursor !== null)?.cursor
  const after = watch<Event>(second.url, EVENTS, { session, after: cursor })
  await after.first(isInterrupted)
  await after.first(isDelta)
  await ask(second.url, ABORT, { session })
  await after.first((event) => isFinished(event) && event.status === 'COMPLETED')
  const { session: found } = await ask<Conversation>(second.url, CONVERSATION, { session })
  expect(found?.runs.edges.map(({ node }) => node.status)).toEqual(['COMPLETED', 'CANCELLED'])
  after.stop()
}, 180_000)

test('V9: a second signal ends the process at once', async () => {
  using folder = scratchFolder()
  await using server = await startServer({ folder: folder.path })
  await ask(server.url, CREATE, { session })
  const watched = watch<Event>(server.url, EVENTS, { session })
  await ask(server.url, ENQUEUE, { session, text: 'count to 2000 slowly' })
  await watched.first(isDelta)
  const stopping = server.stderrLine('is stopping')
  server.signal('SIGTERM')
  await stopping
  const since = Date.now()
  expect(await server.end('SIGTERM')).toMatchObject({ code: 143 })
  expect(Date.now() - since).toBeLessThan(8_000)
}, 180_000)
