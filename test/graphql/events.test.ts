import { describe, expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { World } from '../support/world.ts'
import { Api, at, codesOf, type Data, nodesOf, type Result } from './api.ts'
import { plant } from './planted.ts'

const all = `subscription (
  $session: ID, $types: [HarnessEventType!], $after: String, $deltas: Boolean = true, $below: Boolean = true
) {
  events(
    scopeId: "default", sessionId: $session, types: $types, after: $after, deltas: $deltas, includeDescendants: $below
  ) {
    __typename eventId type sequence cursor timestamp scopeId sessionId generation { generationId generationSequence }
    ... on SessionCreatedEvent { title agent depth createdBy session { sessionId status title } }
    ... on PromptQueuedEvent { queueId entry { status runId } }
    ... on PromptFinishedEvent { queueId runId entry { status error { code } run { status } session { sessionId } } }
    ... on RunStartedEvent { runId messageId session { status } }
    ... on RunFinishedEvent { runId messageId status error { code message source } }
    ... on MessageCreatedEvent { messageId messageIndex message { role parts { ... on TextPart { text } } } }
    ... on MessageUpdatedEvent { messageId message { role } }
    ... on PartEvent { messageId partId messageIndex partIndex runId }
    ... on PartCreatedEvent { part { status ... on TextPart { text } ... on ReasoningPart { text } } }
    ... on PartCompletedEvent { part { status ... on TextPart { text } ... on ReasoningPart { text } } }
    ... on PartDeltaEvent { delta baseBytes totalBytes }
    ... on PartSnapshotEvent { totalBytes part { status ... on TextPart { text } } }
    ... on SessionActivityEvent { kind since }
  }
}`

async function watched() {
  const world = await World.started()
  return { world, api: new Api(world.harness) }
}

const typesOf = (events: readonly Data[]) => events.map(({ type }) => type)

describe('a subscription tells everything in order', () => {
  test('A9: from the first event of a scope on in which nothing was stored, to the end of a run', async () => {
    const { world, api } = await watched()
    const feed = await api.watch(all, { deltas: false })
    await world.session()
    world.models.onCall = (call) => void call.answer('Hello')
    await world.prompt('Hi')
    const events = await feed.until(({ type }) => type === 'RUN_FINISHED')
    expect(typesOf(events)).toEqual([
      'SESSION_CREATED',
      'PROMPT_QUEUED',
      'PROMPT_STARTED',
      'RUN_STARTED',
      'MESSAGE_CREATED',
      'MESSAGE_CREATED',
      'PROMPT_RUNNING',
      'PART_CREATED',
      'PART_COMPLETED',
      'MESSAGE_UPDATED',
      'MESSAGE_UPDATED',
      'PROMPT_FINISHED',
      'RUN_FINISHED',
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    expect(
      events.every(
        ({ cursor, timestamp, sessionId, scopeId }) =>
          typeof cursor === 'string' && typeof timestamp === 'string' && sessionId === 's' && scopeId === 'default',
      ),
    ).toBe(true)
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
    expect(events[0]).toMatchObject({
      __typename: 'SessionCreatedEvent',
      title: null,
      agent: null,
      depth: 0,
      createdBy: 'tester',
      session: { sessionId: 's' },
      generation: { generationSequence: 1 },
    })
    expect(events[4]).toMatchObject({ messageIndex: 0, message: { role: 'USER', parts: [{ text: 'Hi' }] } })
    expect(events[8]).toMatchObject({ partIndex: 0, messageIndex: 1, part: { status: 'COMPLETED', text: 'Hello' } })
    expect(events[11]).toMatchObject({
      entry: { status: 'COMPLETED', error: null, run: { status: 'COMPLETED' }, session: { sessionId: 's' } },
    })
    expect(events[12]).toMatchObject({ status: 'COMPLETED', error: null })
    await feed.stop()
  })

  test('A9: with deltas, whose bytes join, between the beginning and the end of their part', async () => {
    const { world, api } = await watched()
    await world.session()
    const feed = await api.watch(all, { types: ['PART_CREATED', 'PART_DELTA', 'PART_COMPLETED'] })
    const reading = feed.until(({ type }) => type === 'PART_COMPLETED')
    await world.prompt('Hi')
    const call = world.models.last.start()
    for (const piece of ['Hä', 'l', 'l🙂']) {
      call.delta(piece)
      await world.clock.advance(20)
    }
    call.end().finish()
    const events = await reading
    expect(typesOf(events)).toEqual(['PART_CREATED', 'PART_DELTA', 'PART_DELTA', 'PART_DELTA', 'PART_COMPLETED'])
    expect(events[0]).toMatchObject({ part: { status: 'RUNNING', text: '' } })
    expect(events[1]).toMatchObject({
      sequence: null,
      cursor: null,
      eventId: null,
      delta: 'Hä',
      baseBytes: 0,
      totalBytes: 3,
    })
    expect(events[2]).toMatchObject({ delta: 'l', baseBytes: 3, totalBytes: 4 })
    expect(events[3]).toMatchObject({ delta: 'l🙂', baseBytes: 4, totalBytes: 9 })
    expect(events[4]).toMatchObject({ part: { status: 'COMPLETED', text: 'Häll🙂' } })
    await feed.stop()
  })

  test('A9: of a part that streams already, a snapshot from which deltas go on', async () => {
    const { world, api } = await watched()
    await world.session()
    await world.prompt('Hi')
    const call = world.models.last.start().delta('Hello')
    await world.clock.advance(20)
    const feed = await api.watch(all, { types: ['PART_SNAPSHOT', 'PART_DELTA'] })
    expect(await feed.event()).toMatchObject({
      type: 'PART_SNAPSHOT',
      totalBytes: 5,
      part: { status: 'RUNNING', text: 'Hello' },
    })
    call.delta(' you')
    await world.clock.advance(20)
    expect(await feed.event()).toMatchObject({ delta: ' you', baseBytes: 5, totalBytes: 9 })
    await feed.stop()
  })

  test('A9: of a session, with or without those below it', async () => {
    const { world, api } = await watched()
    for (const id of ['s', 'other']) await world.session(id)
    const parent = await world.load('s')
    const feed = await api.watch(all, { session: 's', deltas: false, types: ['SESSION_CREATED', 'PROMPT_QUEUED'] })
    const alone = await api.watch(all, {
      session: 's',
      below: false,
      deltas: false,
      types: ['SESSION_CREATED', 'PROMPT_QUEUED'],
    })
    await plant(world.stores, { parent, id: 'child', at: world.clock.now(), agent: 'nobody' })
    await world.prompt('x', { sessionId: asSessionId('other') })
    await world.prompt('x', { sessionId: asSessionId('child') })
    await world.prompt('x')
    expect((await feed.events(3)).map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ['SESSION_CREATED', 'child'],
      ['PROMPT_QUEUED', 'child'],
      ['PROMPT_QUEUED', 's'],
    ])
    expect(await alone.event()).toMatchObject({ type: 'PROMPT_QUEUED', sessionId: 's' })
    await feed.stop()
    await alone.stop()
  })

  test('A9: what a session turns to, unless deltas are not wanted', async () => {
    const { world, api } = await watched()
    await world.session()
    const feed = await api.watch(all, { types: ['SESSION_ACTIVITY'] })
    await world.prompt('Hi')
    expect(await feed.event()).toMatchObject({
      type: 'SESSION_ACTIVITY',
      sequence: null,
      cursor: null,
      kind: 'THINKING',
    })
    await feed.stop()
  })

  test('A9: a fresh cursor while nothing happens that matches', async () => {
    const { world, api } = await watched()
    await world.session()
    const feed = await api.watch(all, { types: ['RUN_FINISHED'] })
    const next = feed.event()
    await world.session('t')
    await world.clock.advance(40_000)
    const event = await next
    expect(event).toMatchObject({ type: 'CURSOR_ADVANCED', sequence: null, sessionId: null, generation: null })
    expect(await api.attempt(all, { after: event['cursor'] })).not.toHaveProperty('errors')
    await feed.stop()
  })
})

describe('a subscription goes on from a cursor without a gap or a duplicate', () => {
  test('A9: from every event of the log', async () => {
    const { world, api } = await watched()
    await world.session()
    world.models.onCall = (call) => void call.answer('Hello')
    await world.prompt('one')
    const log = nodesOf(
      at(
        await api.data('{ scope(id: "default") { events(first: 200) { edges { node { sequence cursor } } } } }'),
        'scope',
        'events',
      ),
    )
    for (const { sequence, cursor } of log) {
      const feed = await api.watch(all, { after: cursor, deltas: false })
      await world.session(`after-${String(sequence)}`)
      const events = await feed.until(({ sessionId }) => sessionId === `after-${String(sequence)}`)
      expect(events[0]?.['sequence']).toBe(Number(sequence) + 1)
      expect(events.map((event) => event['sequence'])).toEqual(events.map((_, i) => Number(sequence) + 1 + i))
      await feed.stop()
    }
  })

  test('A9: the end of a page of the log is such a cursor', async () => {
    const { world, api } = await watched()
    await world.session()
    const page = at(await api.data('{ scope(id: "default") { events { pageInfo { endCursor } } } }'), 'scope', 'events')
    const feed = await api.watch(all, { after: at(page, 'pageInfo', 'endCursor') })
    await world.session('t')
    expect(await feed.event()).toMatchObject({ type: 'SESSION_CREATED', sessionId: 't' })
    await feed.stop()
  })

  test.each([
    ['a session that does not exist', { session: 'nobody' }, 'NOT_FOUND'],
    ['a cursor that is none', { after: 'x' }, 'VALIDATION_FAILED'],
    ['an empty list of types', { types: [] }, 'VALIDATION_FAILED'],
    ['a session id with a control character', { session: 'a\u0000' }, 'VALIDATION_FAILED'],
  ])('A9: %s does not begin', async (_what, variables, code) => {
    const { world, api } = await watched()
    await world.session()
    expect(codesOf((await api.attempt(all, variables)) as Result)).toEqual([code])
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A9: a cursor of another scope, from the future or no longer kept does not begin', async () => {
    const { world, api } = await watched()
    await world.session()
    await world.session('t')
    const cursors = nodesOf(
      at(await api.data('{ scope(id: "default") { events { edges { node { cursor } } } } }'), 'scope', 'events'),
    )
    const cursor = cursors[0]?.['cursor']
    const elsewhere = 'subscription ($after: String) { events(scopeId: "other", after: $after) { type } }'
    expect(codesOf((await api.attempt(elsewhere, { after: cursor })) as Result)).toEqual(['VALIDATION_FAILED'])
    const { key } = (await world.stores.scopes.find('default' as never)) ?? { key: 0 as never }
    await world.stores.events.prune(key, { before: world.clock.now() + 1, keep: 0, limit: 100 })
    expect(codesOf((await api.attempt(all, { after: cursor })) as Result)).toEqual(['CURSOR_EXPIRED'])
    const log = 'query ($after: String) { scope(id: "default") { events(after: $after) { edges { cursor } } } }'
    expect(await api.codes(log, { after: cursor })).toEqual(['CURSOR_EXPIRED'])
  })
})

test('watching a session of a scope in which nothing was stored is NOT_FOUND, and stores nothing', async () => {
  const { world, api } = await watched()
  expect(codesOf((await api.attempt(all, { session: 's' })) as Result)).toEqual(['NOT_FOUND'])
  expect(await world.stores.scopes.page(undefined, 10)).toEqual([])
})

test('E19: watching a scope in which nothing was stored stores nothing, and takes no cursor from the future', async () => {
  const { world, api } = await watched()
  const feed = await api.watch(all, {})
  const quiet = feed.until(({ type }) => type === 'CURSOR_ADVANCED')
  await world.clock.advance(30_000)
  const [advanced] = await quiet
  expect(advanced).toMatchObject({ scopeId: 'default', sequence: null, sessionId: null })
  expect(await world.stores.scopes.page(undefined, 10)).toEqual([])
  const again = await api.watch(all, { after: advanced?.['cursor'], deltas: false })
  await world.session()
  expect(typesOf(await again.until(() => true))).toEqual(['SESSION_CREATED'])
  await world.session('t')
  const two = await feed.until(({ sequence }) => sequence === 2)
  const elsewhere = all.replace('"default"', '"elsewhere"')
  const foreign = two.at(-1)?.['cursor']
  expect(codesOf((await api.attempt(elsewhere, { after: foreign })) as Result)).toEqual(['VALIDATION_FAILED'])
})

test('the log holds no events that are not stored', async () => {
  const { world, api } = await watched()
  await world.session()
  const source = `query ($types: [HarnessEventType!]) { scope(id: "default") { events(types: $types) {
    edges { node { type } } pageInfo { hasNextPage endCursor }
  } } }`
  const events = at(await api.data(source, { types: ['PART_DELTA', 'CURSOR_ADVANCED'] }), 'scope', 'events')
  expect(events).toMatchObject({ edges: [], pageInfo: { hasNextPage: false } })
  expect(typeof at(events, 'pageInfo', 'endCursor')).toBe('string')
})

describe('after the client has left nothing remains', () => {
  test('A10: while it waited for an event', async () => {
    const { world, api } = await watched()
    await world.session()
    const feed = await api.watch(all)
    const next = feed.next()
    expect(world.harness.subscriptions.size).toBe(1)
    await feed.stop()
    expect(world.harness.subscriptions.size).toBe(0)
    expect(await next).toBeUndefined()
  })

  test('A10: time after time', async () => {
    const { world, api } = await watched()
    await world.session()
    for (let i = 0; i < 100; i++) await (await api.watch(all)).stop()
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A10: when the harness closes, subscriptions end', async () => {
    const { world, api } = await watched()
    const feed = await api.watch(all)
    await world.harness.close({ graceMs: 0 })
    expect(await feed.next()).toBeUndefined()
  })
})

test('A13: what an event shows is read when it is delivered, and its own values are as they were', async () => {
  const { world, api } = await watched()
  await world.session()
  const feed = await api.watch(all, { types: ['PROMPT_QUEUED', 'RUN_STARTED', 'PROMPT_FINISHED', 'SESSION_CREATED'] })
  await world.prompt('Hi')
  world.models.last.answer('Hello')
  await world.clock.settle()
  await world.session('t')
  const events = await feed.until(({ type }) => type === 'SESSION_CREATED')
  expect(events[0]).toMatchObject({ type: 'PROMPT_QUEUED', entry: { status: 'QUEUED', runId: null } })
  expect(events[1]).toMatchObject({ type: 'RUN_STARTED', session: { status: 'IDLE' } })
  await world.prompt('Again')
  expect(await feed.event()).toMatchObject({ type: 'PROMPT_QUEUED' })
  expect(await feed.event()).toMatchObject({ type: 'RUN_STARTED', session: { status: 'BUSY' } })
  await feed.stop()
})

test('an event of what is gone shows null', async () => {
  const { world, api } = await watched()
  await world.session()
  world.models.onCall = (call) => void call.answer('Hello')
  await world.prompt('Hi')
  const { key } = await world.load('s')
  await world.stores.messages.purge([key], 1000)
  const feed = await api.watch(all, { after: await firstCursor(api), deltas: false })
  const events = await feed.until(({ type }) => type === 'RUN_FINISHED')
  expect(events.find(({ type }) => type === 'MESSAGE_CREATED')).toMatchObject({ message: null })
  expect(events.find(({ type }) => type === 'PART_COMPLETED')).toMatchObject({ part: null })
  await feed.stop()
})

const firstCursor = async (api: Api) =>
  at(
    await api.data('{ scope(id: "default") { events { edges { cursor } } } }'),
    'scope',
    'events',
    'edges',
    0,
    'cursor',
  )
