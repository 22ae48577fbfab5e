import { describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { Api, at, codesOf, type Data, type Result } from './api.ts'

const source = `subscription ($session: ID! = "s") { liveRun(scopeId: "default", sessionId: $session) {
  runId status messages { sessionId role parts { status ... on TextPart { text } ... on ReasoningPart { text } } }
} }`

async function watched() {
  const world = await World.started()
  await world.session()
  return { world, api: new Api(world.harness) }
}

/** Role and texts of each message of an update. */
const textsOf = (update: Data) =>
  (update['messages'] as Data[]).map(({ role, parts }) => [role, ...(parts as Data[]).map(({ text }) => text)])

describe('a live run', () => {
  test('A14: shows all messages, then those that change, with their text so far, and ends with the run', async () => {
    const { world, api } = await watched()
    await world.prompt('Hi')
    const call = world.models.last.start().delta('Hel')
    await world.clock.advance(20)
    const feed = await api.watch(source)
    const first = await feed.event()
    expect(first['status']).toBe('RUNNING')
    expect(textsOf(first)).toEqual([
      ['USER', 'Hi'],
      ['ASSISTANT', 'Hel'],
    ])
    expect(at(first, 'messages', 0, 'sessionId')).toBe('s')
    const second = feed.event()
    call.delta('lo')
    await world.clock.advance(200)
    expect(textsOf(await second)).toEqual([['ASSISTANT', 'Hello']])
    const rest = feed.until(({ status }) => status !== 'RUNNING')
    call.end().finish()
    await world.clock.advance(500)
    const last = (await rest).at(-1)
    expect(last).toMatchObject({ status: 'COMPLETED' })
    expect(last && textsOf(last)).toEqual([
      ['USER', 'Hi'],
      ['ASSISTANT', 'Hello'],
    ])
    expect(await feed.next()).toBeUndefined()
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A14: of an idle session is the last one, then it ends', async () => {
    const { world, api } = await watched()
    world.models.onCall = (call) => void call.answer('Hello')
    await world.prompt('Hi')
    const feed = await api.watch(source)
    const only = await feed.event()
    expect(only['status']).toBe('COMPLETED')
    expect(textsOf(only)).toEqual([
      ['USER', 'Hi'],
      ['ASSISTANT', 'Hello'],
    ])
    expect(await feed.next()).toBeUndefined()
  })

  test('A14: of a session that never ran ends at once', async () => {
    const { api } = await watched()
    expect(await (await api.watch(source)).next()).toBeUndefined()
  })

  test('A14: of a session that does not exist is NOT_FOUND', async () => {
    const { world, api } = await watched()
    expect(codesOf((await api.attempt(source, { session: 'nobody' })) as Result)).toEqual(['NOT_FOUND'])
    expect(world.harness.subscriptions.size).toBe(0)
  })
})

test('A10: after a watcher of a live run has left nothing remains', async () => {
  const { world, api } = await watched()
  await world.prompt('Hi')
  const feed = await api.watch(source)
  await feed.event()
  const next = feed.next()
  await feed.stop()
  await world.clock.settle()
  expect(await next).toBeUndefined()
  expect(world.harness.subscriptions.size).toBe(0)
})

test('A14: a query shows the text so far of a part that streams', async () => {
  const { world, api } = await watched()
  await world.prompt('Hi')
  world.models.last.start('reasoning').delta('Hm', 'reasoning').end('reasoning').start().delta('Hello')
  await world.clock.advance(20)
  const data = await api.data(
    `{ session(scopeId: "default", sessionId: "s") { activity { kind } messages(last: 1) { edges { node {
      parts { __typename status ... on TextPart { text } ... on ReasoningPart { text } }
    } } } } }`,
  )
  expect(at(data, 'session', 'activity', 'kind')).toBe('RESPONDING')
  expect(at(data, 'session', 'messages', 'edges', 0, 'node', 'parts')).toEqual([
    { __typename: 'ReasoningPart', status: 'COMPLETED', text: 'Hm' },
    { __typename: 'TextPart', status: 'RUNNING', text: 'Hello' },
  ])
})
