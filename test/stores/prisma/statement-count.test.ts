import { describe, expect, test } from 'vitest'
import { asStorageKey, messageIdOf } from '../../../src/kernel/ids.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import * as rows from '../../contract/support/rows.ts'
import { newWriteId, nextRow, NOW, openWorld, type World } from '../../contract/support/world.ts'
import { databaseKinds } from './scratch.ts'

/** What a session brings into a commit group when everything happens to it at once. */
function everything({ change }: World, session: StoredSession) {
  const message = rows.messageOf(session, 1)
  const part = rows.openPartOf(message, 0)
  return change({
    sessions: [nextRow(session, { title: 'Another title' })],
    rollUps: [{ scopeKey: session.scopeKey, paths: [session.place.path], usage: rows.usageOf(1), descendants: 0 }],
    rows: [
      rows.insertEntry(rows.entryOf(session, 1)),
      rows.updateEntry(rows.entryOf(session, 0, { state: rows.finishedState(null) })),
      rows.insertRun(rows.runOf(session, 1)),
      rows.updateRun(rows.runOf(session, 0)),
      rows.insertMessage(rows.messageOf(session, 3)),
      rows.updateMessage(message),
      rows.insertPart(rows.openPartOf(message, 1)),
      rows.updatePart(part),
      rows.foldChunks(part),
      rows.insertChunk(rows.chunkOf(rows.openPartOf(message, 1), 0, 'x')),
      rows.insertLog(rows.logOf(session, 0)),
      rows.insertPermission(rows.permissionOf(session, 1)),
      rows.updatePermission(rows.permissionOf(session, 0, { state: rows.resolvedState(NOW) })),
      rows.insertGrant(rows.grantOf(session, 'new')),
      rows.deleteGrant(rows.grantOf(session, 'old')),
      rows.insertExecution(rows.executionOf(session, 1)),
      rows.updateExecution(rows.executionOf(session, 0, { state: rows.reconciledState(NOW) })),
      rows.insertRequest(rows.requestOf(session, 'r')),
    ],
    events: [rows.draftOf(session, 1), rows.draftOf(session, 2)],
  })
}

async function started({ create, commit }: World): Promise<StoredSession> {
  const session = await create()
  const message = rows.messageOf(session, 1)
  const before = [
    rows.insertEntry(rows.entryOf(session, 0)),
    rows.insertRun(rows.runOf(session, 0)),
    rows.insertMessage(message),
    rows.insertPart(rows.openPartOf(message, 0)),
    rows.insertPermission(rows.permissionOf(session, 0)),
    rows.insertGrant(rows.grantOf(session, 'old')),
    rows.insertExecution(rows.executionOf(session, 0)),
  ]
  await commit({ rows: before })
  return session
}

const several = async <T>(count: number, make: () => Promise<T>): Promise<readonly T[]> => {
  const made: T[] = []
  for (let i = 0; i < count; i++) made.push(await make())
  return made
}

/** Reads that take many questions at once. */
const reads: Readonly<Record<string, (stores: Stores, sessions: readonly StoredSession[]) => Promise<unknown>>> = {
  'sessions.findMany': ({ sessions }, found) => sessions.findMany(found.map(({ key }) => key)),
  'sessions.findBySequence': ({ sessions }, found) =>
    sessions.findBySequence(found[0]!.scopeKey, found.map(({ generation }) => generation.generationSequence)),
  'sessions.children': ({ sessions }, found) =>
    sessions.children(
      found.map(({ key, updatedAt, generation: { generationSequence } }, i) => ({
        parentKey: key,
        limit: i + 1,
        ...(i % 2 === 1 && { after: { updatedAt, generationSequence } }),
      })),
    ),
  'sessions.countChildren': ({ sessions }, found) => sessions.countChildren(found.map(({ key }) => key)),
  'sessions.subtreeStatuses': ({ sessions }, found) =>
    sessions.subtreeStatuses(found[0]!.scopeKey, found.map(({ place }) => place.path)),
  'queue.views': ({ queue }, found) => queue.views(found.map(({ key }) => key), 10),
  'queue.findMany': ({ queue }, found) => queue.findMany(found.map((session) => rows.queueIdOf(session, 0))),
  'runs.findMany': ({ runs }, found) => runs.findMany(found.map((session) => rows.runIdOf(session, 0))),
  'runs.latest': ({ runs }, found) => runs.latest(found.map(({ key }) => key)),
  'runs.pages': ({ runs }, found) => runs.pages(found.map(({ key }, i) => ({ sessionKey: key, limit: i + 1 }))),
  'messages.pages': ({ messages }, found) =>
    messages.pages(
      found.flatMap((session) => [
        { sessionKey: session.key, take: 'first', limit: 3 } as const,
        { sessionKey: session.key, take: 'last', limit: 5, before: 9 } as const,
        { sessionKey: session.key, take: 'first', limit: 5, runId: rows.runIdOf(session, 0) } as const,
      ]),
    ),
  'messages.findMany': ({ messages }, found) =>
    messages.findMany(found.map((session) => messageIdOf(rows.runIdOf(session, 0), 1))),
  'messages.parts': ({ messages }, found) => messages.parts(found.map(({ key }) => ({ sessionKey: key, index: 1 }))),
  'messages.findParts': ({ messages }, found) =>
    messages.findParts(found.map(({ key }) => ({ sessionKey: key, index: 1, partIndex: 0 }))),
  'permissions.findMany': ({ permissions }, found) =>
    permissions.findMany(found.map((session) => rows.permissionIdOf(session, 0))),
  'permissions.pending': ({ permissions }, found) => permissions.pending(found.map(({ key }) => key)),
  'permissions.latest': ({ permissions }, found) => permissions.latest(found.map(({ key }) => key), 5),
  'permissions.ofRuns': ({ permissions }, found) =>
    permissions.ofRuns(found.map((session) => rows.runIdOf(session, 0))),
  'permissions.inbox': ({ permissions }, found) => permissions.inbox(found[0]!.scopeKey, undefined, found.length),
  'permissions.grants': ({ permissions }, found) => permissions.grants(found.map(({ key }) => key)),
  'executions.findMany': ({ executions }, found) =>
    executions.findMany(found.map((session) => rows.executionOf(session, 0).intentId)),
  'executions.uncertain': ({ executions }, found) => executions.uncertain(found.map(({ key }) => key), 5),
  'sessions.unsettled': ({ sessions }, found) => sessions.unsettled(undefined, found.length),
  'scopes.findNamed': ({ scopes }, found) => scopes.findNamed(found.map(({ sessionId }) => asStorageKey(sessionId))),
  'scopes.findMany': ({ scopes }, found) => scopes.findMany(found.map(({ scopeKey }) => scopeKey)),
}

describe.each(databaseKinds)('$name', ({ scratch, missing }) => {
  test.skipIf(missing)('a group takes as many statements as a commit, and nothing is asked in between', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const stores = await database.stores((sql) => statements.push(sql))
    const world = await openWorld(stores)
    const countOf = async (size: number): Promise<number> => {
      const group = (await several(size, () => started(world))).map((session) => everything(world, session))
      const created = world.change({ created: await several(size, () => world.seed()) })
      statements.length = 0
      await stores.unit.commit(newWriteId(), [...group, created])
      expect([statements[0], statements.at(-1)]).toEqual(['BEGIN', 'COMMIT'])
      return statements.length
    }
    const few = await countOf(2)
    expect(await countOf(30)).toBe(few)
    expect(few).toBeLessThanOrEqual(29)
  })

  test.skipIf(missing)('a commit without events takes no lock on its scope', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const stores = await database.stores((sql) => statements.push(sql))
    const world = await openWorld(stores)
    const session = await world.create()
    statements.length = 0
    await world.commit({ rows: [rows.insertLog(rows.logOf(session, 0))] })
    expect(statements).toHaveLength(5) // BEGIN, record, entry, numbers of the scope, COMMIT
    expect(statements.filter((sql) => sql.includes('UPDATE'))).toEqual([])
  })

  test.skipIf(missing)('a read takes one statement, whatever it is asked for', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const stores = await database.stores((sql) => statements.push(sql))
    const world = await openWorld(stores)
    const sessions = await several(20, () => started(world))
    for (const [name, read] of Object.entries(reads)) {
      for (const size of [1, 20]) {
        statements.length = 0
        await read(stores, sessions.slice(0, size))
        expect([name, size, statements.length]).toEqual([name, size, 1])
      }
    }
  })

  test.skipIf(missing)('lists of thousands are paged, in questions and in answers', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const stores = await database.stores((sql) => statements.push(sql))
    const world = await openWorld(stores)
    const size = 4100
    const first = await stores.sessions.reserveKeys(size)
    const created = await Promise.all(
      Array.from({ length: size }, (_, i) => world.seed({ key: (first + i) as typeof first })),
    )
    statements.length = 0
    await world.commit({ created })
    expect(statements.filter((sql) => sql.includes('INSERT INTO "Session"'))).toHaveLength(3)
    statements.length = 0
    const found = await stores.sessions.findMany(created.map(({ key }) => key))
    expect(statements).toHaveLength(3)
    expect(new Set(found.map(({ generation }) => generation.generationSequence)).size).toBe(size)
  })
})
