import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import { draftOf, insertLog, logOf } from '../support/rows.ts'
import { failureOf, newScope, nextRow, NOW } from '../support/world.ts'

export const compareAndSetSuite = contractSuite('compare and set', (test) => {
  test('C2: a commit that expects an earlier revision conflicts', async ({ commit, create, reload }) => {
    const session = await create()
    await commit({ sessions: [nextRow(session, { updatedAt: NOW + 1 })] })
    const late = commit({ sessions: [nextRow(session, { updatedAt: NOW + 2 })] })
    expect(await failureOf(late)).toBe('conflict')
    expect(await reload(session)).toMatchObject({ revision: 1, updatedAt: NOW + 1 })
  })

  test('C2: of many commits on the same revision exactly one happens', async ({
    stores,
    scope,
    commit,
    create,
    reload,
  }) => {
    const session = await create()
    const attempts = Array.from({ length: 12 }, (_, i) =>
      failureOf(
        commit({
          sessions: [nextRow(session, { updatedAt: NOW + i })],
          rows: [insertLog(logOf(session, i))],
          events: [draftOf(session, i)],
        }),
      ),
    )
    const failures = await Promise.all(attempts)
    const winner = failures.indexOf(undefined)
    expect(failures.filter((failure) => failure === undefined)).toHaveLength(1)
    expect(failures.filter((failure) => failure === 'conflict')).toHaveLength(11)
    expect(await reload(session)).toMatchObject({ revision: 1, updatedAt: NOW + winner })
    expect((await stores.log.read(session.key, 0, 99)).map(({ index }) => index)).toEqual([winner])
    const { events, scannedTo } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 99 })
    expect([events.map(({ timestamp }) => timestamp), scannedTo]).toEqual([[NOW + winner], 1])
  })

  test('C2: whoever reloads after each conflict gets through, and no change is lost', async ({
    commit,
    create,
    reload,
  }) => {
    const session = await create()
    const addOne = async () => {
      for (;;) {
        const current = await reload(session)
        const next = { ...current.next, log: current.next.log + 1 }
        const failure = await failureOf(commit({ sessions: [nextRow(current, { next })] }))
        if (failure === undefined) return
        expect(failure).toBe('conflict')
      }
    }
    await Promise.all(Array.from({ length: 6 }, addOne))
    const done = await reload(session)
    expect([done.next.log, done.revision]).toEqual([6, 6])
  })

  test('C2: commits on different sessions do not disturb each other', async ({ commit, create, reload }) => {
    const sessions = [await create(), await create(), await create(), await create()]
    await Promise.all(
      sessions.map((session) => commit({ sessions: [nextRow(session)], events: [draftOf(session, 1)] })),
    )
    for (const session of sessions) expect((await reload(session)).revision).toBe(1)
  })

  test('C2: one commit may change several sessions, all or none', async ({ commit, create, reload }) => {
    const [a, b, c] = [await create(), await create(), await create()]
    await commit({ sessions: [nextRow(a, { updatedAt: NOW + 1 }), nextRow(b, { updatedAt: NOW + 2 })] })
    const late = commit({ sessions: [nextRow(c), nextRow(a)] })
    expect(await failureOf(late)).toBe('conflict')
    expect(await reload(a)).toMatchObject({ revision: 1, updatedAt: NOW + 1 })
    expect(await reload(b)).toMatchObject({ revision: 1, updatedAt: NOW + 2 })
    expect(await reload(c)).toEqual(c)
  })

  test('C3: a commit under an epoch that is over is fenced', async ({ stores, commit, create, reload }) => {
    const session = await create()
    await commit({ sessions: [nextRow(session, { epoch: 1 })] })
    await commit({ sessions: [nextRow(await reload(session), { epoch: 2 })] })
    const current = await reload(session)
    const zombies = [
      { ...current, epoch: 1 },
      { ...current, epoch: 1, revision: 1 },
      { ...current, epoch: 0, revision: 0 },
    ]
    for (const zombie of zombies) {
      const late = commit({ sessions: [nextRow(zombie)], rows: [insertLog(logOf(session, 0))] })
      expect(await failureOf(late)).toBe('fenced')
    }
    expect(await reload(session)).toEqual(current)
    expect(await stores.log.read(session.key, 0, 9)).toEqual([])
    await commit({ sessions: [nextRow(current)] })
  })

  test('C3: under the right epoch a wrong revision is a conflict, no fence', async ({ commit, create, reload }) => {
    const session = await create()
    await commit({ sessions: [nextRow(session, { epoch: 1 })] })
    const current = await reload(session)
    expect(await failureOf(commit({ sessions: [nextRow({ ...current, revision: 0 })] }))).toBe('conflict')
  })

  test('C4: the id of a session that lives cannot be given to another one', async ({ stores, scope, create }) => {
    const session = await create()
    const { sessionId } = session
    expect(await failureOf(create({ sessionId }))).toBe('conflict')
    expect(await stores.sessions.find(scope.key, sessionId)).toEqual(session)
    const elsewhere = await newScope(stores)
    expect(await create({ sessionId, scopeKey: elsewhere.key })).toMatchObject({ sessionId })
  })

  test('C4: of many creations of the same session id exactly one happens', async ({ stores, scope, seed, commit }) => {
    const { sessionId } = await seed()
    const seeds = await Promise.all(Array.from({ length: 8 }, () => seed({ sessionId })))
    const failures = await Promise.all(seeds.map((session) => failureOf(commit({ created: [session] }))))
    const winner = failures.indexOf(undefined)
    expect(failures.filter((failure) => failure === 'conflict')).toHaveLength(7)
    expect(await stores.sessions.find(scope.key, sessionId)).toMatchObject({ key: seeds[winner]!.key })
    expect(await stores.sessions.count(scope.key, {}, 99)).toBe(1)
  })
})
