import { describe, expect, test } from 'vitest'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import * as rows from '../../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld } from '../../contract/support/world.ts'
import { databaseKinds } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

const ROUNDS = 200

describe.each(databaseKinds)('the guard on $name', ({ name, scratch, missing }) => {
  test.skipIf(missing)('of two writers that expect the same revision exactly one wins, every time', async () => {
    await using database = await scratch()
    const writers = [await database.stores(), await database.stores()]
    const world = await openWorld(writers[0]!)
    const start = await world.create()
    let session: StoredSession = start
    for (let round = 0; round < ROUNDS; round += 1) {
      const commits = writers.map((stores, writer) =>
        stores.unit.commit(newWriteId(), [
          world.change({
            sessions: [nextRow(session, { title: `${round} ${writer}` })],
            rows: [rows.insertLog(rows.logOf(session, 2 * round + writer))],
            events: [rows.draftOf(session, writer)],
          }),
        ]),
      )
      const failures = await Promise.all(commits.map(storeFailureOf))
      expect(new Set(failures)).toEqual(new Set(['conflict', undefined]))
      const winner = failures.indexOf(undefined)
      session = await world.reload(start)
      expect([session.revision, session.title]).toEqual([round + 1, `${round} ${winner}`])
    }
    expect(await writers[1]!.log.read(start.key, 0, 2 * ROUNDS)).toHaveLength(ROUNDS)
    expect(await writers[1]!.events.bounds(start.scopeKey)).toEqual({ head: ROUNDS, floor: 0 })
  })

  test.skipIf(missing)('that a row already is as a writer wants it does not count as a hit', async () => {
    await using database = await scratch()
    const stores = await database.stores()
    const world = await openWorld(stores)
    const session = await world.create()
    const write = nextRow(session, { title: 'the same' })
    await world.commit({ sessions: [write] })
    const ahead = { row: write.row, expected: { ...write.expected, revision: 9 } }
    for (const again of [write, ahead]) {
      expect(await storeFailureOf(world.commit({ sessions: [again] }))).toBe('conflict')
    }
    expect((await world.reload(session)).revision).toBe(1)
  })

  test.skipIf(missing)('one stale session among thousands fails all of them, and none does not', async () => {
    await using database = await scratch()
    const stores = await database.stores()
    const world = await openWorld(stores)
    const size = 2050
    const first = await stores.sessions.reserveKeys(size)
    const keys = Array.from({ length: size }, (_, i) => (first + i) as typeof first)
    await world.commit({ created: await Promise.all(keys.map((key) => world.seed({ key }))) })
    const sessions = (await stores.sessions.findMany(keys)).toSorted((a, b) => a.key - b.key)
    const group = sessions.map((session) => world.change({ sessions: [nextRow(session)] }))
    const last = sessions.at(-1)!
    const stale = [...group.slice(0, -1), world.change({ sessions: [nextRow({ ...last, revision: 5 })] })]
    expect(await storeFailureOf(stores.unit.commit(newWriteId(), stale))).toBe('conflict')
    expect((await stores.sessions.findMany(keys)).every(({ revision }) => revision === 0)).toBe(true)
    await stores.unit.commit(newWriteId(), group)
    expect((await stores.sessions.findMany(keys)).every(({ revision }) => revision === 1)).toBe(true)
  })

  test.skipIf(missing)('commits of a group may follow each other on one session, or not', async () => {
    await using database = await scratch()
    const stores = await database.stores()
    const world = await openWorld(stores)
    const session = await world.create()
    const one = nextRow(session, { title: 'one' })
    const two = nextRow({ ...session, ...one.row, revision: 1 }, { title: 'two' })
    const group = [one, two].map((write) => world.change({ sessions: [write], events: [rows.draftOf(session, 1)] }))
    expect(await storeFailureOf(stores.unit.commit(newWriteId(), group.toReversed()))).toBe('conflict')
    expect(await storeFailureOf(stores.unit.commit(newWriteId(), [group[0]!, group[0]!]))).toBe('conflict')
    expect(await stores.unit.commit(newWriteId(), group)).toMatchObject([{ firstSequence: 1 }, { firstSequence: 2 }])
    expect(await world.reload(session)).toMatchObject({ title: 'two', revision: 2 })
  })

  test.skipIf(missing)('a scope or a session that does not exist is not committed to', async () => {
    await using database = await scratch()
    const world = await openWorld(await database.stores())
    const session = await world.create()
    const nowhere = (world.scope.key + 1000) as typeof world.scope.key
    const log = [rows.insertLog(rows.logOf(session, 0))]
    expect(await storeFailureOf(world.commit({ scopeKey: nowhere, rows: log }))).toBe('notCommitted')
    const nobody = await world.stores.sessions.reserveKeys(1)
    expect(await storeFailureOf(world.commit({ events: [rows.draftOf({ key: nobody }, 1)] }))).toBe('notCommitted')
    expect(await world.stores.events.bounds(world.scope.key)).toEqual({ head: 0, floor: 0 })
  })

  test.skipIf(missing)(`text that ${name} could not hold is refused before anything is sent`, async () => {
    await using database = await scratch()
    const statements: string[] = []
    const world = await openWorld(await database.stores((sql) => statements.push(sql)))
    const session = await world.create()
    statements.length = 0
    for (const text of ['a\0b', '\ud83d', '\ude00 b']) {
      const request = rows.requestOf(session, text)
      expect(await storeFailureOf(world.commit({ rows: [rows.insertRequest(request)] }))).toBe('notCommitted')
      expect(await world.stores.requests.find(session.scopeKey, session.key, text)).toBeUndefined()
      const filter = { titleContains: text }
      expect(await world.stores.sessions.page({ scopeKey: session.scopeKey, filter, limit: 1 })).toEqual([])
    }
    const half = { ...rows.logOf(session, 0), index: 0.5 }
    expect(await storeFailureOf(world.commit({ rows: [rows.insertLog(half)] }))).toBe('notCommitted')
    expect(statements).toEqual([])
  })
})
