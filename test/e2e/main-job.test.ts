import { expect, test } from 'vitest'
import { answering, startOpenAiServer } from '../support/openai-server.ts'
import { scratchFolder, startServer } from '../support/server-process.ts'
import { ask, firstCursor, stream, watch } from './client.ts'
import {
  CONVERSATION,
  type Conversation,
  CREATE,
  ENQUEUE,
  type Event,
  EVENTS,
  isDelta,
  isFinished,
  LIVE_RUN,
  type LiveRun,
} from './operations.ts'

const session = 'first'

const textOf = (events: readonly Event[]): string => events.map(({ delta = '' }) => delta).join('')

/** What the assistant has said, message by message. */
const answers = ({ session: found }: Conversation): readonly string[] =>
  (found?.messages.edges ?? [])
    .filter(({ node }) => node.role === 'ASSISTANT')
    .map(({ node }) => node.parts.map(({ text = '' }) => text).join(''))

test('V8: a session is created, prompted and watched over WebSocket and by server-sent events', async () => {
  using folder = scratchFolder()
  await using server = await startServer({ folder: folder.path })
  expect(server.stdout()).toContain('offline model')
  await ask(server.url, CREATE, { session, title: 'The first' })

  // Each begins with what happened after the first event, so whoever has that is attached.
  const after = await firstCursor(server.url)
  await ask(server.url, CREATE, { session: 'other' })
  const byWebSocket = watch<Event>(server.url, EVENTS, { after })
  const byEvents = stream<Event>(server.url, EVENTS, { after })
  for (const { first } of [byWebSocket, byEvents]) await first(({ __typename }) => __typename === 'SessionCreatedEvent')

  await ask(server.url, ENQUEUE, { session, text: 'count to 40 slowly' })
  const live = watch<LiveRun>(server.url, LIVE_RUN, { session })
  await byWebSocket.first(isFinished)
  await byEvents.first(isFinished)
  await live.ended

  const conversation = await ask<Conversation>(server.url, CONVERSATION, { session })
  const [answer = ''] = answers(conversation)
  expect(answer).toContain('40')
  expect(conversation.session).toMatchObject({ title: 'The first', status: 'IDLE', queue: [{ status: 'COMPLETED' }] })
  for (const { received } of [byWebSocket, byEvents]) {
    expect(received.filter(isDelta).length).toBeGreaterThan(5)
    expect(textOf(received)).toBe(answer)
  }
  expect(live.received.at(-1)).toMatchObject({ status: 'COMPLETED' })

  byWebSocket.stop()
  byEvents.stop()
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 })
}, 180_000)

test('V8: a subscription that names the cursor it has seen goes on without a gap', async () => {
  using folder = scratchFolder()
  await using server = await startServer({ folder: folder.path })
  await ask(server.url, CREATE, { session })
  const after = await firstCursor(server.url)
  await ask(server.url, ENQUEUE, { session, text: 'hello' })
  const all = watch<Event>(server.url, EVENTS, { after })
  await all.first(isFinished)
  const sequences = all.received.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
  expect(sequences).toEqual(sequences.map((_, index) => index + 2))
  all.stop()
}, 180_000)

test('V8: any server with the API of OpenAI can be the model', async () => {
  using folder = scratchFolder()
  const models = await startOpenAiServer()
  models.respondWith(answering('Good ', 'morning.'))
  const env = { HARNESS_PROVIDERS: `lab=${models.url}`, HARNESS_MODEL: 'lab:big', LAB_API_KEY: 'lab-key' }
  await using server = await startServer({ folder: folder.path, env })
  expect(server.stdout()).not.toContain('offline')
  await ask(server.url, CREATE, { session })
  await ask(server.url, ENQUEUE, { session, text: 'hello' })
  const live = watch<LiveRun>(server.url, LIVE_RUN, { session })
  await live.ended
  const conversation = await ask<Conversation>(server.url, CONVERSATION, { session })
  expect(answers(conversation)).toEqual(['Good morning.'])
  const model = { provider: 'lab', id: 'lab:big' }
  expect(conversation.session?.runs.edges[0]?.node).toMatchObject({ status: 'COMPLETED', model })
  expect(models.requests[0]).toMatchObject({ headers: { authorization: 'Bearer lab-key' }, body: { model: 'big' } })
  expect(server.stderr()).not.toMatch(/lab-key|hello/)
  await models.close()
}, 180_000)
