import { expect } from 'vitest'
import type { SessionKey } from '../../../src/kernel/ids.ts'
import type { Session } from '../../../src/domain/session/session.ts'
import type { RowWrite } from '../../../src/domain/session/writes.ts'
import type { Purge } from '../../../src/ports/stores/purge.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
  draftOf,
  entryOf,
  executionOf,
  grantOf,
  insertChunk,
  insertEntry,
  insertExecution,
  insertGrant,
  insertLog,
  insertMessage,
  insertPart,
  insertPermission,
  insertRequest,
  insertRun,
  logOf,
  messageOf,
  openPartOf,
  partOf,
  permissionIdOf,
  permissionOf,
  requestOf,
  runOf,
} from '../support/rows.ts'
import { failureOf, NOW, type World } from '../support/world.ts'

const LIMIT = 4

/** Purges in pages until nothing is left. Returns the sum. */
async function purgeAll(store: Purge, sessions: readonly SessionKey[]): Promise<number> {
  let sum = 0
  for (;;) {
    const purged = await store.purge(sessions, LIMIT)
    expect(purged).toBeLessThanOrEqual(LIMIT)
    if (purged === 0) return sum
    sum += purged
    if (sum > 1000) throw new Error('The purge does not end.')
  }
}

/** Two sessions to erase, and one to keep, with the same rows each. */
async function threeWith({ create, commit }: World, rowsOf: (session: Session) => readonly RowWrite[]) {
  const [first, second, kept] = [await create(), await create(), await create()]
  await commit({ rows: [first, second, kept].flatMap(rowsOf) })
  return { gone: [first, second] as const, keys: [first.key, second.key], kept }
}

const five = [0, 1, 2, 3, 4]

export const purgeSuite = contractSuite('purge', (test) => {
  test('C26: queue entries are erased with their prompts', async (world) => {
    const { queue } = world.stores
    const rowsOf = (session: Session) => five.map((i) => insertEntry(entryOf(session, i)))
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    expect(await purgeAll(queue, keys)).toBe(10)
    for (const session of gone) {
      expect(await queue.outstanding(session.key)).toEqual([])
      expect(await queue.findMany(five.map((i) => entryOf(session, i).queueId))).toEqual([])
      expect(await queue.prompt(session.key, 0)).toBeUndefined()
    }
    expect(await queue.outstanding(kept.key)).toHaveLength(5)
    await world.commit({ rows: rowsOf(gone[0]) })
  })

  test('C26: runs are erased', async (world) => {
    const { runs } = world.stores
    const rowsOf = (session: Session) => five.map((i) => insertRun(runOf(session, i)))
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    expect(await purgeAll(runs, keys)).toBe(10)
    expect(await runs.latest([...keys, kept.key])).toEqual([runOf(kept, 4)])
    await world.commit({ rows: rowsOf(gone[0]) })
  })

  test('C26: messages are erased with their parts and the chunks of those', async (world) => {
    const { messages } = world.stores
    const rowsOf = (session: Session): readonly RowWrite[] => {
      const message = messageOf(session, 1)
      const part = openPartOf(message, 0)
      const texts = ['one', 'two', 'six'].map((text, i) => insertChunk(chunkOf(part, 3 * i, text)))
      return [
        insertMessage(messageOf(session, 0)),
        insertMessage(message),
        insertPart(part),
        insertPart(partOf(message, 1)),
        ...texts,
      ]
    }
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    const read = async ({ key: sessionKey }: Session) => {
      const [page] = await messages.pages([{ sessionKey, take: 'first', limit: 9 }])
      return { messages: page?.length, parts: await messages.parts([{ sessionKey, index: 1 }]) }
    }
    const before = await read(gone[0])
    expect(before.parts[0]).toMatchObject({ body: { text: 'onetwosix' } })
    expect(await purgeAll(messages, keys)).toBe(14)
    for (const session of gone) {
      expect(await read(session)).toEqual({ messages: 0, parts: [] })
      expect(await messages.findMany([messageOf(session, 0).messageId])).toEqual([])
      expect(await messages.findParts([{ sessionKey: session.key, index: 1, partIndex: 0 }])).toEqual([])
      // Chunks that were left would be in the way of new ones.
      expect(await failureOf(world.commit({ rows: rowsOf(session) }))).toBeUndefined()
    }
    expect(await read(gone[0])).toEqual(before)
    expect((await read(kept)).parts[0]).toMatchObject({ body: { text: 'onetwosix' } })
  })

  test('C26: the agent log is erased', async (world) => {
    const { log } = world.stores
    const rowsOf = (session: Session) => five.map((i) => insertLog(logOf(session, i)))
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    expect(await purgeAll(log, keys)).toBe(10)
    for (const session of gone) expect(await log.read(session.key, 0, 9)).toEqual([])
    expect(await log.read(kept.key, 0, 9)).toHaveLength(5)
    await world.commit({ rows: rowsOf(gone[0]) })
  })

  test('C26: requests for permission are erased, and the grants that came of them', async (world) => {
    const { permissions } = world.stores
    const rowsOf = (session: Session): readonly RowWrite[] => [
      ...five.map((i) => insertPermission(permissionOf(session, i))),
      ...['a', 'b'].map((key) => insertGrant(grantOf(session, key))),
    ]
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    expect(await purgeAll(permissions, keys)).toBe(14)
    for (const session of gone) {
      expect(await permissions.latest([session.key], 9)).toEqual([])
      expect(await permissions.findMany(five.map((i) => permissionIdOf(session, i)))).toEqual([])
      expect(await permissions.grants([session.key])).toEqual([])
    }
    expect(await permissions.pending([...keys, kept.key])).toEqual(five.map((i) => permissionOf(kept, i)))
    expect(await permissions.inbox(world.scope.key, undefined, 99)).toHaveLength(5)
    expect(await permissions.grants([kept.key])).toHaveLength(2)
    await world.commit({ rows: rowsOf(gone[0]) })
  })

  test('C26: uncertain executions are erased', async (world) => {
    const { executions } = world.stores
    const rowsOf = (session: Session) => five.map((i) => insertExecution(executionOf(session, i)))
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    expect(await purgeAll(executions, keys)).toBe(10)
    for (const session of gone) {
      expect(await executions.findMany(five.map((i) => executionOf(session, i).intentId))).toEqual([])
    }
    expect(await executions.uncertain([...keys, kept.key], 9)).toEqual(five.map((i) => executionOf(kept, i)))
    await world.commit({ rows: rowsOf(gone[0]) })
  })

  test('C26: requests to the sessions are erased, those to the scope are not', async (world) => {
    const { stores, scope, commit } = world
    const rowsOf = (session: Session) => five.map((i) => insertRequest(requestOf(session, `request ${i}`)))
    const { gone, keys, kept } = await threeWith(world, rowsOf)
    await commit({ rows: [insertRequest(requestOf(kept, 'request 0', { owner: 0 }))] })
    expect(await purgeAll(stores.requests, keys)).toBe(10)
    for (const { key } of gone) expect(await stores.requests.find(scope.key, key, 'request 0')).toBeUndefined()
    expect(await stores.requests.find(scope.key, kept.key, 'request 0')).toBeDefined()
    expect(await stores.requests.find(scope.key, 0, 'request 0')).toBeDefined()
  })

  test('C26: sessions are erased, and their ids may live again', async (world) => {
    const { stores, scope, create } = world
    const { gone, keys, kept } = await threeWith(world, () => [])
    const [first, second] = gone
    const child = await create({ parent: second })
    expect(await purgeAll(stores.sessions, keys)).toBe(2)
    expect(await stores.sessions.find(scope.key, first.sessionId)).toBeUndefined()
    expect(await stores.sessions.findMany([...keys, kept.key])).toEqual([kept])
    const again = await create({ sessionId: first.sessionId })
    expect(again.generation.generationSequence).toBe(5)
    expect(await purgeAll(stores.sessions, [child.key])).toBe(1)
  })

  test('C26: titles are erased with their sessions', async (world) => {
    const { stores, scope, create } = world
    const title = 'Words of many characters'
    const [gone, kept] = [await create({ title }), await create({ title })]
    expect(await purgeAll(stores.sessions, [gone.key])).toBeGreaterThan(0)
    const filter = { titleContains: 'many' }
    expect(await stores.sessions.page({ scopeKey: scope.key, filter, limit: 9 })).toEqual([kept])
    expect(await stores.sessions.count(scope.key, filter, 9)).toBe(1)
    await create({ key: gone.key, title })
    expect(await stores.sessions.count(scope.key, filter, 9)).toBe(2)
  })

  test('C26: events are blanked: numbers stay, and reading skips what they said', async (world) => {
    const { stores, scope, commit } = world
    const { gone, keys, kept } = await threeWith(world, () => [])
    const [first, second] = gone
    await commit({ events: five.flatMap((n) => [draftOf(first, n), draftOf(kept, n), draftOf(second, n)]) })
    expect(await purgeAll(stores.events, keys)).toBe(10)
    const read = (after: number, limit: number) => stores.events.read({ scopeKey: scope.key, filter: {}, after, limit })
    const page = await read(0, 100)
    expect(page.events.map(({ sequence }) => sequence)).toEqual([2, 5, 8, 11, 14])
    expect(page.events.every(({ sessionKey }) => sessionKey === kept.key)).toBe(true)
    expect(page.scannedTo).toBe(15)
    expect((await read(0, 2)).events.map(({ sequence }) => sequence)).toEqual([2, 5])
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 15, floor: 0 })
    expect(await stores.events.prune(scope.key, { before: NOW + 2, keep: 100, limit: 100 })).toBe(6)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 15, floor: 6 })
  })

  test('C26: that a session was deleted is still told after its events were blanked', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    const body = { type: 'session.deleted', agent: null, depth: 0, parentSessionId: null, deletedBy: 'ann' } as const
    await commit({ events: [draftOf(session, 1), { sessionKey: session.key, timestamp: NOW, body }] })
    expect(await purgeAll(stores.events, [session.key])).toBe(1)
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 9 })
    expect(events).toMatchObject([{ sequence: 2, sessionId: session.sessionId, body }])
  })

  test('C26: purging nothing, or what was never there, changes nothing', async (world) => {
    const { stores } = world
    const { kept } = await threeWith(world, (session) => [insertRun(runOf(session, 0))])
    const unknown = await stores.sessions.reserveKeys(1)
    for (const store of [
      stores.queue,
      stores.runs,
      stores.messages,
      stores.log,
      stores.permissions,
      stores.executions,
      stores.events,
      stores.requests,
      stores.sessions,
    ]) {
      expect(await store.purge([], LIMIT)).toBe(0)
      expect(await store.purge([unknown], LIMIT)).toBe(0)
    }
    expect(await stores.runs.latest([kept.key])).toEqual([runOf(kept, 0)])
  })
})
