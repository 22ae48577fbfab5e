import { expect } from 'vitest'
import type { ScopeKey } from '../../../src/kernel/ids.ts'
import type { HarnessEvent } from '../../../src/domain/event/event.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Commit, Committed } from '../../../src/ports/stores/unit-of-work.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { draftOf } from '../support/rows.ts'
import { failureOf, newScope, newWriteId, nextRow, NOW } from '../support/world.ts'

const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i)

async function logOfScope(stores: Stores, scopeKey: ScopeKey): Promise<readonly HarnessEvent[]> {
  return (await stores.events.read({ scopeKey, filter: {}, after: 0, limit: 500 })).events
}

/** Expects that the log holds the events of the commits, without gaps, each commit's together and in order. */
async function expectGapless(stores: Stores, done: readonly (readonly [Commit, Committed])[]) {
  const scopeKey = done[0]![0].scopeKey
  const log = await logOfScope(stores, scopeKey)
  const total = done.reduce((sum, [{ events }]) => sum + events.length, 0)
  expect(log.map(({ sequence }) => sequence)).toEqual(range(1, total))
  for (const [{ events }, { firstSequence }] of done) {
    const own = log.slice(firstSequence - 1, firstSequence - 1 + events.length)
    expect(own.map(({ timestamp, sessionKey }) => [timestamp, sessionKey])).toEqual(
      events.map(({ timestamp, sessionKey }) => [timestamp, sessionKey]),
    )
  }
  expect(await stores.events.bounds(scopeKey)).toEqual({ head: total, floor: 0 })
}

export const numberingSuite = contractSuite('numbering', (test) => {
  test('C5: many commits at the same time number their events without gaps', async ({
    stores,
    change,
    commit,
    create,
  }) => {
    const sessions = [await create(), await create(), await create()]
    const commits = range(0, 24).map((i) => {
      const session = sessions[i % 3]!
      return change({ events: range(0, 1 + (i % 4)).map((n) => draftOf(session, 10 * i + n)) })
    })
    const done = await Promise.all(commits.map((one) => commit(one)))
    await expectGapless(
      stores,
      commits.map((one, i) => [one, done[i]!]),
    )
  })

  test('C5: scopes are numbered independently, also when they are busy at the same time', async (world) => {
    const { stores, change, create } = world
    const scopes = [await newScope(stores), await newScope(stores), await newScope(stores)]
    const sessions = await Promise.all(scopes.map(({ key }) => create({ scopeKey: key })))
    const commits = range(0, 18).map((i) => {
      const session = sessions[i % 3]!
      return change({
        scopeKey: session.scopeKey,
        events: range(0, 1 + (i % 2)).map((n) => draftOf(session, 10 * i + n)),
      })
    })
    const done = await Promise.all(commits.map(async (one) => (await stores.unit.commit(newWriteId(), [one]))[0]!))
    for (const { key } of scopes) {
      const own = commits.flatMap((one, i) => (one.scopeKey === key ? [[one, done[i]!] as const] : []))
      await expectGapless(stores, own)
    }
  })

  test('C5: commits that fail leave no gap', async ({ stores, change, commit, create }) => {
    const [good, bad] = [await create(), await create()]
    const stale = nextRow({ ...bad, revision: 5 })
    const commits = range(0, 8).map((i) => change({ events: [draftOf(good, 2 * i), draftOf(good, 2 * i + 1)] }))
    const failing = range(0, 8).map((i) => failureOf(commit({ sessions: [stale], events: [draftOf(bad, i)] })))
    const done = await Promise.all(commits.map((one) => commit(one)))
    expect(await Promise.all(failing)).toEqual(range(0, 8).map(() => 'conflict'))
    await expectGapless(
      stores,
      commits.map((one, i) => [one, done[i]!]),
    )
  })

  test('C5: a group is numbered in its order, each scope on its own', async ({ stores, scope, change, create }) => {
    const elsewhere = await newScope(stores)
    const [near, far] = [await create(), await create({ scopeKey: elsewhere.key })]
    const { key: scopeKey } = elsewhere
    const group = [
      change({ events: [draftOf(near, 1), draftOf(near, 2)] }),
      change({ scopeKey, events: [draftOf(far, 3)] }),
      change({ events: [] }),
      change({ events: [draftOf(near, 4)] }),
      change({ scopeKey, events: [draftOf(far, 5), draftOf(far, 6)] }),
    ]
    const done = await stores.unit.commit(newWriteId(), group)
    expect(done).toHaveLength(5)
    expect([0, 1, 3, 4].map((i) => done[i]?.firstSequence)).toEqual([1, 1, 3, 2])
    const timestamps = async (key: ScopeKey) => (await logOfScope(stores, key)).map(({ timestamp }) => timestamp - NOW)
    expect(await timestamps(scope.key)).toEqual([1, 2, 4])
    expect(await timestamps(elsewhere.key)).toEqual([3, 5, 6])
  })

  test('C5: a big commit keeps its order', async ({ stores, scope, commit, create }) => {
    const session = await create()
    const { firstSequence } = await commit({ events: range(0, 2500).map((i) => draftOf(session, i)) })
    expect(firstSequence).toBe(1)
    const page = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 2400, limit: 500 })
    expect(page.events.map(({ timestamp }) => timestamp - NOW)).toEqual(range(2400, 100))
    expect(page.scannedTo).toBe(2500)
  })

  test('C6: each creation is one revision, in the order of the group', async ({ stores, scope, change, seed }) => {
    const seeds = [await seed(), await seed(), await seed(), await seed()]
    const [a, b, c, d] = seeds.map((session) => session)
    const group = [change({ created: [a!, b!] }), change({}), change({ created: [c!] }), change({ created: [d!] })]
    const done = await stores.unit.commit(newWriteId(), group)
    expect([0, 2, 3].map((i) => done[i]?.firstRevision)).toEqual([1, 3, 4])
    const sequences = await Promise.all(
      seeds.map(
        async ({ sessionId }) => (await stores.sessions.find(scope.key, sessionId))?.generation.generationSequence,
      ),
    )
    expect(sequences).toEqual([1, 2, 3, 4])
    expect(await stores.scopes.findMany([scope.key])).toMatchObject([{ revision: 4 }])
  })

  test('C6: creations at the same time get revisions without gaps, failing ones none', async (world) => {
    const { stores, scope, commit, create, seed, reload } = world
    const existing = await create()
    const seeds = await Promise.all(range(0, 12).map((i) => seed(i % 4 === 3 ? { sessionId: existing.sessionId } : {})))
    const failures = await Promise.all(seeds.map((session) => failureOf(commit({ created: [session] }))))
    expect(failures).toEqual(range(0, 12).map((i) => (i % 4 === 3 ? 'conflict' : undefined)))
    const created = await Promise.all(seeds.filter((_, i) => i % 4 !== 3).map(reload))
    const sequences = created.map(({ generation }) => generation.generationSequence).toSorted((a, b) => a - b)
    expect(sequences).toEqual(range(2, 9))
    for (const { generation, place } of created) {
      expect(place.path).toBe(String(generation.generationSequence).padStart(12, '0'))
    }
    expect(await stores.scopes.findMany([scope.key])).toMatchObject([{ revision: 10 }])
  })

  test('C6: changes of content do not raise the revision of the scope', async ({ stores, scope, commit, create }) => {
    const session = await create()
    await commit({ sessions: [nextRow(session)], events: [draftOf(session, 1)] })
    expect(await stores.scopes.findMany([scope.key])).toMatchObject([{ revision: 1, sequence: 1 }])
    expect(await commit({ created: [] })).toBeDefined()
    expect(await stores.scopes.findMany([scope.key])).toMatchObject([{ revision: 1, sequence: 1 }])
  })
})
