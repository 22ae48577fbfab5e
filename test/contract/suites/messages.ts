import { expect } from 'vitest'
import type { MessageId, PermissionId } from '../../../src/kernel/ids.ts'
import { isStreaming, type Message, type Part } from '../../../src/domain/message/message.ts'
import type { MessagesQuery } from '../../../src/ports/stores/messages.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
  foldChunks,
  insertChunk,
  insertMessage,
  insertPart,
  messageOf,
  openPartOf,
  partOf,
  runIdOf,
  toolBodyOf,
  updateMessage,
  updatePart,
} from '../support/rows.ts'
import { failureOf, NOW, type World } from '../support/world.ts'

const keyOf = ({ sessionKey, index }: Message) => ({ sessionKey, index })
const partKeyOf = ({ sessionKey, messageIndex, partIndex }: Part) => ({ sessionKey, index: messageIndex, partIndex })

async function streaming({ commit, create }: World) {
  const session = await create()
  const [message, other] = [messageOf(session, 1), messageOf(session, 3)]
  const [part, sibling, foreign] = [openPartOf(message, 0), openPartOf(message, 1), openPartOf(other, 0)]
  const rows = [insertMessage(message), insertMessage(other), ...[part, sibling, foreign].map(insertPart)]
  await commit({
    rows: [...rows, insertChunk(chunkOf(sibling, 0, 'sibling')), insertChunk(chunkOf(foreign, 0, 'foreign'))],
  })
  return { session, message, part, sibling }
}

const textOf = async ({ stores }: World, part: Part) => {
  const [found] = await stores.messages.findParts([partKeyOf(part)])
  return found?.body.kind === 'text' ? found.body.text : undefined
}

export const messagesSuite = contractSuite('messages', (test) => {
  test('C21: messages come back as they were put in, and change', async ({ stores, commit, create }) => {
    const session = await create()
    const messages = [messageOf(session, 0), messageOf(session, 1, { superseded: [{ from: 0, to: 2 }] })]
    await commit({ rows: messages.map(insertMessage) })
    const ids = messages.map(({ messageId }) => messageId)
    const found = await stores.messages.findMany([...ids, 'nothing' as MessageId])
    expect(found.toSorted((a, b) => a.index - b.index)).toEqual(messages)
    expect(await stores.messages.findMany([])).toEqual([])
    const superseded = [{ from: 0, to: 2 }, { from: 4, to: 5 }]
    const updated = messageOf(session, 1, { updatedAt: NOW + 50, superseded })
    await commit({ rows: [updateMessage(updated)] })
    expect(await stores.messages.findMany(ids.slice(1))).toEqual([updated])
    expect(await stores.messages.findMany(ids.slice(0, 1))).toEqual(messages.slice(0, 1))
  })

  test('C21: pages go from either end, between bounds, oldest first', async ({ stores, commit, create }) => {
    const [session, other] = [await create(), await create()]
    const rows = Array.from({ length: 10 }, (_, i) => insertMessage(messageOf(session, i)))
    await commit({ rows: [...rows.toReversed(), insertMessage(messageOf(other, 0))] })
    const { key: sessionKey } = session
    const runId = runIdOf(session, 2)
    const asked: readonly [Omit<MessagesQuery, 'sessionKey'>, readonly number[]][] = [
      [{ take: 'first', limit: 3 }, [0, 1, 2]],
      [{ take: 'last', limit: 3 }, [7, 8, 9]],
      [{ take: 'first', limit: 3, after: 3 }, [4, 5, 6]],
      [{ take: 'last', limit: 3, before: 7 }, [4, 5, 6]],
      [{ take: 'first', limit: 9, after: 2, before: 5 }, [3, 4]],
      [{ take: 'last', limit: 1, after: 2, before: 5 }, [4]],
      [{ take: 'last', limit: 3, after: 8 }, [9]],
      [{ take: 'first', limit: 3, after: 9 }, []],
      [{ take: 'first', limit: 3, before: 0 }, []],
      [{ take: 'first', limit: 9, runId }, [4, 5]],
      [{ take: 'last', limit: 1, runId }, [5]],
      [{ take: 'first', limit: 9, runId, after: 4 }, [5]],
    ]
    const queries = asked.map(([query]) => ({ sessionKey, ...query }))
    const pages = await stores.messages.pages([{ sessionKey: other.key, take: 'last', limit: 9 }, ...queries])
    const indexes = pages.map((page) => page.map(({ index }) => index))
    expect(indexes).toEqual([[0], ...asked.map(([, expected]) => expected)])
    expect(pages[1]).toEqual([0, 1, 2].map((i) => messageOf(session, i)))
    expect(await stores.messages.pages([])).toEqual([])
  })

  test('C21: parts of every kind and status come back as they were put in', async ({ stores, commit, create }) => {
    const session = await create()
    const message = messageOf(session, 0)
    const parts = [
      partOf(message, 0),
      partOf(message, 1, { body: { kind: 'reasoning', text: 'Hm.' }, status: 'FAILED' }),
      partOf(message, 2, { body: { kind: 'attachment', mediaType: 'text/plain', filename: null, url: 'data:,a' } }),
      partOf(message, 3, { body: { kind: 'attachment', mediaType: 'text/plain', filename: 'a', url: 'data:,a' } }),
      partOf(message, 4, { status: 'CANCELLED', body: { kind: 'text', text: '' } }),
      openPartOf(message, 5),
      partOf(message, 6, { status: 'INTERRUPTED' }),
    ]
    await commit({ rows: [insertMessage(message), ...parts.map(insertPart)] })
    expect(await stores.messages.parts([keyOf(message)])).toEqual(parts)
  })

  test('C21: parts of many messages are read at once, each message in order', async ({ stores, commit, create }) => {
    const [session, other] = [await create(), await create()]
    const messages = [messageOf(session, 0), messageOf(session, 1), messageOf(other, 0), messageOf(other, 1)]
    const parts = messages.flatMap((message) => [2, 0, 11, 1].map((i) => partOf(message, i)))
    await commit({ rows: [...messages.map(insertMessage), ...parts.map(insertPart)] })
    const wanted = [messages[2]!, messages[0]!, messages[1]!]
    const found = await stores.messages.parts(wanted.map(keyOf))
    for (const { sessionKey, index } of wanted) {
      const own = found.filter((part) => part.sessionKey === sessionKey && part.messageIndex === index)
      expect(own.map(({ partIndex }) => partIndex)).toEqual([0, 1, 2, 11])
    }
    expect(found).toHaveLength(12)
    expect(await stores.messages.parts([])).toEqual([])
    expect(await stores.messages.parts([{ sessionKey: session.key, index: 77 }])).toEqual([])
  })

  test('C21: single parts are found by their address', async ({ stores, commit, create }) => {
    const session = await create()
    const [message, next] = [messageOf(session, 0), messageOf(session, 1)]
    const parts = [partOf(message, 0), partOf(message, 1), partOf(next, 0)]
    await commit({ rows: [insertMessage(message), insertMessage(next), ...parts.map(insertPart)] })
    const found = await stores.messages.findParts([
      partKeyOf(parts[2]!),
      partKeyOf(parts[1]!),
      { ...keyOf(next), partIndex: 1 },
    ])
    expect(found.toSorted((a, b) => a.messageIndex - b.messageIndex)).toEqual([parts[1], parts[2]])
    expect(await stores.messages.findParts([])).toEqual([])
  })

  test('C21: a part that streams has the text of its chunks, in the order of their offsets', async (world) => {
    const { part, message } = await streaming(world)
    expect(await textOf(world, part)).toBe('')
    const pieces = Array.from({ length: 12 }, (_, i) => `${i},`)
    let offset = 0
    for (const piece of pieces) {
      await world.commit({ rows: [insertChunk(chunkOf(part, offset, piece))] })
      offset += piece.length
      expect((await textOf(world, part))?.length).toBe(offset)
    }
    expect(await textOf(world, part)).toBe(pieces.join(''))
    const [read] = await world.stores.messages.parts([keyOf(message)])
    expect(read).toEqual({ ...part, body: { kind: 'text', text: pieces.join('') } })
  })

  test('C21: a completed part has its final text, once, and keeps no chunks', async (world) => {
    const { part, message, sibling } = await streaming(world)
    await world.commit({ rows: [insertChunk(chunkOf(part, 0, 'Hel')), insertChunk(chunkOf(part, 3, 'lo'))] })
    const closed = {
      ...part,
      status: 'COMPLETED' as const,
      body: { kind: 'text' as const, text: 'Hello!' },
      finishedAt: NOW + 2,
    }
    await world.commit({ rows: [updatePart(closed), foldChunks(part)] })
    expect(await textOf(world, part)).toBe('Hello!')
    const read = await world.stores.messages.parts([keyOf(message)])
    expect(read).toEqual([closed, { ...sibling, body: { kind: 'text', text: 'sibling' } }])
    // A chunk that were still there would be in the way.
    expect(await failureOf(world.commit({ rows: [insertChunk(chunkOf(part, 0, 'Hel'))] }))).toBeUndefined()
    expect(await textOf(world, part)).toBe('Hello!')
  })

  test('C21: a tool call has what it was asked and what it answered, whatever its status', async (world) => {
    const { stores, commit, create } = world
    const session = await create()
    const message = messageOf(session, 1)
    const permissionId = 'a permission' as PermissionId
    const error = { code: 'FAILED', message: 'It failed.', source: 'tool' }
    const input = { path: 'a', list: [1, null] }
    const bodies = [
      ['PENDING', toolBodyOf('a', { input })],
      ['AWAITING_PERMISSION', toolBodyOf('b', { permissionId, effect: 'none' })],
      ['RUNNING', toolBodyOf('c', { begunAt: NOW, effect: 'repeatable', input: null })],
      ['UNCERTAIN', toolBodyOf('i', { begunAt: NOW, permissionId })],
      ['PENDING', toolBodyOf('j', { begunAt: NOW, permissionId, effect: 'repeatable' })],
      ['AWAITING_PERMISSION', toolBodyOf('k', { begunAt: NOW, permissionId, effect: 'repeatable' })],
      ['COMPLETED', toolBodyOf('d', { begunAt: NOW, output: { a: [false] } })],
      ['COMPLETED', toolBodyOf('e', { begunAt: NOW, output: null, input: 'text' })],
      ['FAILED', toolBodyOf('f', { begunAt: NOW, error })],
      ['CANCELLED', toolBodyOf('g', { error })],
      ['UNCERTAIN', toolBodyOf('h', { begunAt: NOW, permissionId, error })],
    ] as const
    const parts = bodies.map(([status, body], i) =>
      partOf(message, i, { status, body, finishedAt: i < 6 ? null : NOW + 1 }),
    )
    await commit({ rows: [insertMessage(message), ...parts.map(insertPart)] })
    expect(await stores.messages.parts([keyOf(message)])).toEqual(parts)
    const [first, last] = [parts[0]!, parts.at(-1)!]
    const ended = { ...last, partIndex: first.partIndex, partId: first.partId, startedAt: first.startedAt }
    await commit({ rows: [updatePart(ended)] })
    expect(await stores.messages.parts([keyOf(message)])).toEqual([ended, ...parts.slice(1)])
  })

  test('C21: folding a part leaves the chunks of other parts alone', async (world) => {
    const { session, part } = await streaming(world)
    await world.commit({ rows: [foldChunks(part)] })
    const texts = (await world.stores.messages.parts([keyOf(messageOf(session, 1)), keyOf(messageOf(session, 3))])).map(
      ({ body }) => (isStreaming(body) ? body.text : ''),
    )
    expect(texts.toSorted()).toEqual(['', 'foreign', 'sibling'])
  })
})
