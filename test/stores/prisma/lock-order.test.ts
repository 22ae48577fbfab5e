import { describe, expect, test } from 'vitest'
import { prefixesOf } from '../../../src/domain/session/session.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import * as rows from '../../contract/support/rows.ts'
import { newScope, newWriteId, nextRow, openWorld, type World } from '../../contract/support/world.ts'
import { connected, untilSomebodyWaits } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from './scratch.ts'
import { storeFailureOf } from './store-failure-of.ts'

interface Race extends World {
  readonly writers: readonly [Stores, Stores]
  /** Commits both groups at once, and lets them go on from `obstacle`, a lock, only when both wait. */
  readonly bothMeet: (obstacle: string, one: readonly Commit[], two: readonly Commit[]) => Promise<unknown[]>
}

/** Runs a test with two writers, that is two sets of connections, as two processes would have them. */
async function racing(run: (race: Race) => Promise<void>): Promise<void> {
  await using database = await postgresqlScratch()
  await using holder = await connected(database.url)
  await using observer = await connected(database.url)
  const writers = [await database.stores(), await database.stores()] as const
  const bothMeet: Race['bothMeet'] = async (obstacle, ...groups) => {
    await holder.query(`BEGIN; ${obstacle}`)
    const failures = groups.map((group, i) => storeFailureOf(writers[i]!.unit.commit(newWriteId(), group)))
    await untilSomebodyWaits(observer, 2)
    await holder.query('ROLLBACK')
    return Promise.all(failures)
  }
  await run({ ...(await openWorld(writers[0])), writers, bothMeet })
}

const lockOf = ({ key }: StoredSession) => `SELECT FROM "Session" WHERE "key" = ${key} FOR UPDATE`
const gainOf = ({ scopeKey, place }: StoredSession) => ({
  scopeKey,
  paths: [place.path],
  usage: rows.usageOf(1),
  descendants: 0,
})

describe.skipIf(postgresqlIsMissing)('who commits at the same time never waits in a circle on PostgreSQL', () => {
  test('for sessions that both write, in whatever order', () =>
    racing(async ({ create, change, bothMeet, reload }) => {
      const sessions = [await create(), await create(), await create()]
      const group = sessions.map((session) => change({ sessions: [nextRow(session)] }))
      const failures = await bothMeet(lockOf(sessions[1]!), group, group.toReversed())
      expect(new Set(failures)).toEqual(new Set(['conflict', undefined]))
      expect(await Promise.all(sessions.map(reload))).toMatchObject([{ revision: 1 }, { revision: 1 }, { revision: 1 }])
    }))

  test('for sessions that one writes and that gain by the other', () =>
    racing(async ({ scope, create, change, bothMeet, reload }) => {
      const [one, two] = [await create(), await create()]
      const commitOf = (written: StoredSession, gaining: StoredSession) =>
        change({ sessions: [nextRow(written)], rollUps: [gainOf(gaining)], events: [rows.draftOf(written, 1)] })
      const obstacle = `SELECT FROM "Scope" WHERE "key" = ${scope.key} FOR UPDATE`
      expect(await bothMeet(obstacle, [commitOf(one, two)], [commitOf(two, one)])).toEqual([undefined, undefined])
      const after = { revision: 1, tree: { usage: rows.usageOf(1) } }
      expect(await Promise.all([reload(one), reload(two)])).toMatchObject([after, after])
    }))

  test('for sessions that gain by both', () =>
    racing(async ({ create, change, bothMeet, reload }) => {
      const sessions = [await create(), await create(), await create()]
      const group = sessions.map((session) => change({ rollUps: [gainOf(session)] }))
      expect(await bothMeet(lockOf(sessions[1]!), group, group.toReversed())).toEqual([undefined, undefined])
      const inputTokens = 2 * rows.usageOf(1).inputTokens
      for (const session of sessions) expect((await reload(session)).tree.usage).toMatchObject({ inputTokens })
    }))

  test('for scopes', () =>
    racing(async ({ stores, create, change, bothMeet }) => {
      const scopes = [await newScope(stores), await newScope(stores), await newScope(stores)]
      const groupOf = async () => {
        const sessions: StoredSession[] = []
        for (const { key: scopeKey } of scopes) sessions.push(await create({ scopeKey }))
        return sessions.map((session) => ({
          ...change({ sessions: [nextRow(session)], events: [rows.draftOf(session, 1)] }),
          scopeKey: session.scopeKey,
        }))
      }
      const obstacle = `SELECT FROM "Scope" WHERE "key" = ${scopes[1]!.key} FOR UPDATE`
      expect(await bothMeet(obstacle, await groupOf(), (await groupOf()).toReversed())).toEqual([undefined, undefined])
      for (const { key } of scopes) expect(await stores.events.bounds(key)).toEqual({ head: 2, floor: 0 })
    }))

  test('for requests that both remember', () =>
    racing(async ({ scope, create, change, bothMeet }) => {
      const session = await create()
      const requests = ['a', 'b', 'c'].map((id) => rows.requestOf(session, id, { owner: 0 }))
      const group = requests.map((request) => change({ rows: [rows.insertRequest(request)] }))
      const obstacle = `INSERT INTO "ClientRequest" VALUES (${scope.key}, 0, 'b', 'd', 'r', 1)`
      const failures = await bothMeet(obstacle, group, group.toReversed())
      expect(new Set(failures)).toEqual(new Set(['conflict', undefined]))
    }))

  test('for anything, when many do much', () =>
    racing(async ({ writers, create, change, reload, scope }) => {
      const root = await create()
      const tree = [root, await create({ parent: root }), await create({ parent: root })]
      const work = [...writers, ...writers].map(async (stores, writer) => {
        const failures: unknown[] = []
        for (let done = 0; done < 25; ) {
          const found = (await stores.sessions.findMany(tree.map(({ key }) => key))).toSorted((a, b) => a.key - b.key)
          const group = found.map((session) =>
            change({
              sessions: [nextRow(session)],
              rollUps: [{ ...gainOf(session), paths: prefixesOf(session.place.path) }],
              events: [rows.draftOf(session, 1)],
            }),
          )
          const ordered = writer % 2 === 0 ? group : group.toReversed()
          const failure = await storeFailureOf(stores.unit.commit(newWriteId(), ordered))
          if (failure === undefined) done += 1
          else if (failure !== 'conflict') failures.push(failure)
        }
        return failures
      })
      expect((await Promise.all(work)).flat()).toEqual([])
      expect(await reload(root)).toMatchObject({ revision: 100, tree: { usage: { inputTokens: 300 } } })
      expect(await writers[0].events.bounds(scope.key)).toEqual({ head: 300, floor: 0 })
    }), 90_000)
})
