import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SessionId, SessionKey } from '../../../src/kernel/ids.ts'
import { noUsage } from '../../../src/domain/run/usage.ts'
import type { SessionFilter, SessionPosition, StoredSession } from '../../../src/ports/stores/sessions.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { positionOf } from '../support/position-of.ts'
import { runIdOf, usageOf } from '../support/rows.ts'
import { newScope, newWriteId, nextRow, NOW, type Wishes, type World } from '../support/world.ts'

const keysOf = (sessions: readonly { readonly key: SessionKey }[]) => sessions.map(({ key }) => key)

const createMany = async ({ create }: World, wishes: readonly Wishes[]): Promise<readonly StoredSession[]> => {
  const sessions: StoredSession[] = []
  for (const wish of wishes) sessions.push(await create(wish))
  return sessions
}

const makeBusy = async ({ commit, reload }: World, session: StoredSession): Promise<StoredSession> => {
  await commit({ sessions: [nextRow(session, { work: { kind: 'queued', since: NOW } })] })
  return reload(session)
}

/** The pages of two rows, one after the other. */
async function walk(
  read: (after: SessionPosition | undefined) => Promise<readonly StoredSession[]>,
): Promise<SessionKey[]> {
  const seen: SessionKey[] = []
  for (let after: SessionPosition | undefined; ;) {
    const page = await read(after)
    seen.push(...keysOf(page))
    const last = page.at(-1)
    after = last && positionOf(last)
    if (page.length < 2 || seen.length > 100) return seen
  }
}

export const sessionsSuite = contractSuite('sessions', (test) => {
  test('C6: a new session comes back as it was put in, with nothing rolled up', async ({
    stores,
    scope,
    seed,
    commit,
  }) => {
    const session = await seed({
      title: 'Ein Titel – 題名 🎈',
      metadata: { b: [1, { a: null }], a: 'x', '': true },
      createdBy: 'a principal',
      at: NOW + 17,
    })
    await commit({ created: [session] })
    const { generationId, place, ...rest } = session
    const { parentPath: _, ...standing } = place
    const stored = {
      ...rest,
      generation: { generationId, generationSequence: 1 },
      place: { ...standing, path: '000000000001' },
      tree: { usage: noUsage, descendants: 0 },
    }
    expect(await stores.sessions.find(scope.key, session.sessionId)).toEqual(stored)
    expect(await stores.sessions.findMany([session.key])).toEqual([stored])
  })

  test('C6: a change of a session comes back as it was put in', async ({ stores, commit, create }) => {
    const session = await create({ metadata: { a: 1 } })
    const runId = runIdOf(session, 0)
    const works = [
      { kind: 'queued', since: NOW + 1 },
      { kind: 'running', since: NOW + 2, runId, run: 7, doing: 'RESPONDING' },
      { kind: 'running', since: NOW + 2, runId, run: 7, doing: 'AWAITING_PERMISSION' },
      { kind: 'running', since: NOW + 2, runId, run: 7, doing: 'AWAITING_RECONCILIATION' },
      { kind: 'idle', since: NOW + 3 },
    ] as const
    let before = session
    for (const work of works) {
      const next = { entry: 1, run: 2, message: 3, log: 4, permission: 5, execution: 6 }
      const write = nextRow(before, {
        work,
        owner: work.kind === 'running' ? `server ${work.doing}` : null,
        next,
        updatedAt: work.since,
        usage: usageOf(work.since),
        epoch: before.epoch + 1,
      })
      await commit({ sessions: [write] })
      const [found] = await stores.sessions.findMany([session.key])
      expect(found).toEqual({ ...write.row, tree: session.tree })
      before = found!
    }
  })

  test('C6: a session is found by its scope and id, exactly', async (world) => {
    const { stores, scope, create } = world
    const base = randomUUID()
    const ids = [`${base}a`, `${base}A`, `${base}a `, `${base}á`] as SessionId[]
    const sessions = await createMany(
      world,
      ids.map((sessionId) => ({ sessionId })),
    )
    for (const session of sessions) expect(await stores.sessions.find(scope.key, session.sessionId)).toEqual(session)
    expect(await stores.sessions.find(scope.key, `${base}b` as SessionId)).toBeUndefined()
    const elsewhere = await newScope(stores)
    expect(await stores.sessions.find(elsewhere.key, ids[0]!)).toBeUndefined()
    const namesake = await create({ sessionId: ids[0]!, scopeKey: elsewhere.key })
    expect(await stores.sessions.find(elsewhere.key, ids[0]!)).toEqual(namesake)
    expect(await stores.sessions.find(scope.key, ids[0]!)).toEqual(sessions[0])
  })

  test('C6: many are found by key or by the revision that created them', async (world) => {
    const { stores, scope, create } = world
    const sessions = await createMany(world, [{}, {}, {}])
    const elsewhere = await newScope(stores)
    await create({ scopeKey: elsewhere.key })
    const sorted = (found: readonly StoredSession[]) => found.toSorted((a, b) => a.key - b.key)
    const unknown = await stores.sessions.reserveKeys(1)
    expect(sorted(await stores.sessions.findMany([...keysOf(sessions), unknown]))).toEqual(sessions)
    expect(sorted(await stores.sessions.findBySequence(scope.key, [3, 1, 99]))).toEqual([sessions[0], sessions[2]])
    expect(await stores.sessions.findMany([])).toEqual([])
    expect(await stores.sessions.findBySequence(scope.key, [])).toEqual([])
  })

  test('C14: sessions are listed newest activity first, ties newest first', async (world) => {
    const { stores, scope, create } = world
    // Keys say nothing about the order of creation.
    const first = await stores.sessions.reserveKeys(5)
    const [a, b, c, d, e] = await createMany(
      world,
      [4, 3, 2, 1, 0].map((key, i) => ({ key: (first + key) as SessionKey, at: NOW + (i === 3 ? 9 : i % 2) })),
    )
    await create({ scopeKey: (await newScope(stores)).key, at: NOW + 99 })
    const expected = keysOf([d!, b!, e!, c!, a!])
    const read = (after: SessionPosition | undefined) =>
      stores.sessions.page({ scopeKey: scope.key, filter: {}, ...(after && { after }), limit: 2 })
    expect(await walk(read)).toEqual(expected)
    const page = await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 100 })
    expect(keysOf(page)).toEqual(expected)
    expect(page[0]).toEqual(d)
  })

  test('C14: a page goes on after a position, also when its session has moved or is gone', async (world) => {
    const { stores, scope, commit } = world
    const sessions = await createMany(
      world,
      [0, 1, 2, 3].map((i) => ({ at: NOW + i })),
    )
    const [a, b, c] = sessions
    const after = positionOf(c!)
    await commit({ sessions: [nextRow(c!, { updatedAt: NOW + 50 })] })
    const page = await stores.sessions.page({ scopeKey: scope.key, filter: {}, after, limit: 5 })
    expect(keysOf(page)).toEqual(keysOf([b!, a!]))
  })

  test('C15: sessions that wait for a person are found by that, and are not among the busy ones', async (world) => {
    const { stores, scope, commit, reload } = world
    const sessions = await createMany(
      world,
      [3, 1, 2, 4, 5].map((i) => ({ at: NOW + i })),
    )
    const work = { kind: 'running', since: NOW, runId: runIdOf(sessions[0]!, 0), run: 0, doing: 'AWAITING_PERMISSION' } as const
    await commit({ sessions: sessions.slice(0, 3).map((session) => nextRow(session, { work })) })
    await makeBusy(world, sessions[3]!)
    const filter = { status: 'AWAITING_PERMISSION' } as const
    const expected = await Promise.all([sessions[0]!, sessions[2]!, sessions[1]!].map(reload))
    expect(await stores.sessions.page({ scopeKey: scope.key, filter, limit: 10 })).toEqual(expected)
    const paged = await walk((after) =>
      stores.sessions.page({ scopeKey: scope.key, filter, ...(after && { after }), limit: 2 }),
    )
    expect(paged).toEqual(keysOf(expected))
    expect(await stores.sessions.count(scope.key, filter, 10)).toBe(3)
    const busy = await stores.sessions.page({ scopeKey: scope.key, filter: { status: 'BUSY' }, limit: 10 })
    expect(keysOf(busy)).toEqual([sessions[3]!.key])
  })

  test('C15: filters narrow a list down, each alone and together; counting stops at the cap', async (world) => {
    const { stores, scope } = world
    const [root, other] = await createMany(world, [
      { title: 'Alpha', at: NOW + 1 },
      { title: null, at: NOW + 2 },
    ])
    const child = await world.create({ parent: root!, agent: 'explorer', title: 'alphabet', at: NOW + 3 })
    const sibling = await world.create({ parent: root!, agent: 'Explorer', title: 'beta', at: NOW + 4 })
    await makeBusy(world, child)
    const cases: readonly [SessionFilter, readonly StoredSession[]][] = [
      [{}, [sibling, child, other!, root!]],
      [{ rootsOnly: true }, [other!, root!]],
      [{ rootsOnly: false }, [sibling, child, other!, root!]],
      [{ status: 'BUSY' }, [child]],
      [{ status: 'IDLE' }, [sibling, other!, root!]],
      [{ agent: 'explorer' }, [child]],
      [{ agent: 'nobody' }, []],
      [{ titleContains: 'ALPHA' }, [child, root!]],
      [{ updatedSince: NOW + 3 }, [sibling, child]],
      [{ rootsOnly: true, status: 'IDLE', titleContains: 'ph', updatedSince: NOW + 1 }, [root!]],
      [{ rootsOnly: true, agent: 'explorer' }, []],
    ]
    for (const [filter, expected] of cases) {
      const page = await stores.sessions.page({ scopeKey: scope.key, filter, limit: 10 })
      const count = await stores.sessions.count(scope.key, filter, 10)
      const capped = await stores.sessions.count(scope.key, filter, 2)
      const paged = await walk((after) =>
        stores.sessions.page({ scopeKey: scope.key, filter, ...(after && { after }), limit: 2 }),
      )
      const keys = keysOf(expected)
      const [all, atMostTwo] = [expected.length, Math.min(2, expected.length)]
      expect({ filter, keys: keysOf(page), paged, count, capped }).toEqual({
        filter,
        keys,
        paged: keys,
        count: all,
        capped: atMostTwo,
      })
    }
  })

  test('C15: titles are searched for exactly what is asked, but for the case of ASCII letters', async (world) => {
    const { stores, scope } = world
    const titles = [
      '50% off',
      '50 off',
      'a_b',
      'aXb',
      String.raw`c\d`,
      'c|d',
      'ÉCOLE',
      'école',
      'Kelvin',
      'İstanbul',
      `"q" 'q'`,
    ]
    await createMany(
      world,
      titles.map((title) => ({ title })),
    )
    await createMany(world, [{ title: null }])
    const cases: readonly [string, readonly string[]][] = [
      ['%', ['50% off']],
      ['50% OFF', ['50% off']],
      ['_', ['a_b']],
      ['A_B', ['a_b']],
      ['\\', [String.raw`c\d`]],
      [String.raw`C\D`, [String.raw`c\d`]],
      [String.raw`\%`, []],
      ['École', ['ÉCOLE']],
      ['école', ['école']],
      ['COLE', ['ÉCOLE', 'école']],
      ['\u212Aelvin', []],
      ['kELVIN', ['Kelvin']],
      ['i\u0307stanbul', []],
      ['stanbul', ['İstanbul']],
      [`'Q'`, [`"q" 'q'`]],
      ['null', []],
    ]
    for (const [titleContains, expected] of cases) {
      const page = await stores.sessions.page({ scopeKey: scope.key, filter: { titleContains }, limit: 20 })
      const count = await stores.sessions.count(scope.key, { titleContains }, 20)
      const found = { titleContains, titles: new Set(page.map(({ title }) => title)), count }
      expect(found).toEqual({ titleContains, titles: new Set(expected), count: expected.length })
    }
  })

  test('C15: texts of any length are found, whether few titles contain them or most', async (world) => {
    const { stores, scope, commit, seed } = world
    const size = 1300
    const first = await stores.sessions.reserveKeys(size)
    const titleOf = (i: number) => `Fix the build of ${i % 2 ? 'Alpha' : '題名 🎈'} ${'x'.repeat(i % 3)} #${i}`
    const many = Array.from({ length: size }, (_, i) =>
      seed({ key: (first + i) as typeof first, title: titleOf(i), at: NOW + (i % 7) }),
    )
    await commit({ created: await Promise.all(many) })
    await world.create({ scopeKey: (await newScope(stores)).key, title: titleOf(77) })
    const all = await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: size })
    const asked = [
      ['#', '#7', '#77', '#777', '#1299', 'x', 'xx', 'xxx', ' ', '題', '名 🎈', '🎈', 'z', 'fix', 'FIX THE BUILD OF'],
      ['the build of alpha x #', 'the build of alpha  #', 'the build of 題名 🎈 xx #770', 'build the fix', titleOf(5)],
    ].flat()
    for (const titleContains of asked) {
      for (const more of [{}, { rootsOnly: true }, { updatedSince: NOW + 3 }, { status: 'BUSY' } as const]) {
        const filter = { titleContains, ...more }
        const found = all
          .filter(({ title }) => title?.toLowerCase().includes(titleContains.toLowerCase()))
          .filter(({ updatedAt }) => updatedAt >= (filter.updatedSince ?? 0) && filter.status === undefined)
        const after = found[3] && positionOf(found[3])
        const page = await stores.sessions.page({ scopeKey: scope.key, filter, limit: 5 })
        const next = after && (await stores.sessions.page({ scopeKey: scope.key, filter, after, limit: 5 }))
        const count = await stores.sessions.count(scope.key, filter, 1200)
        expect({ filter, page: keysOf(page), next: keysOf(next ?? []), count }).toEqual({
          filter,
          page: keysOf(found.slice(0, 5)),
          next: keysOf(after ? found.slice(4, 9) : []),
          count: Math.min(found.length, 1200),
        })
      }
    }
  })

  test('C15: a title is found as long as its session has it', async (world) => {
    const { stores, scope, commit, create, reload } = world
    const other = await create({ title: 'Untouched words' })
    const session = await create({ title: 'Some words' })
    const find = async (titleContains: string) => {
      const page = await stores.sessions.page({ scopeKey: scope.key, filter: { titleContains }, limit: 9 })
      expect(await stores.sessions.count(scope.key, { titleContains }, 9)).toBe(page.length)
      return keysOf(page)
    }
    const rename = async (title: string | null) => commit({ sessions: [nextRow(await reload(session), { title })] })
    expect(await find('words')).toEqual([session.key, other.key])
    await rename('Some words')
    expect(await find('some words')).toEqual([session.key])
    await rename('Other words, Words')
    expect([await find('some'), await find('words, words')]).toEqual([[], [session.key]])
    await rename(null)
    expect(await find('words')).toEqual([other.key])
    await rename('words')
    expect(await find('words')).toEqual([session.key, other.key])
    const [once, twice] = [nextRow(await reload(session), { title: 'once' }), 'twice']
    const then = nextRow({ ...session, ...once.row }, { title: twice })
    await stores.unit.commit(newWriteId(), [once, then].map((write) => world.change({ sessions: [write] })))
    expect([await find('once'), await find('twice'), await find('words')]).toEqual([[], [session.key], [other.key]])
  })

  test('C18: keys are never reserved twice, whoever asks at the same time', async ({ stores }) => {
    const counts = Array.from({ length: 24 }, (_, i) => 1 + (i % 5))
    const firsts = await Promise.all(counts.map((count) => stores.sessions.reserveKeys(count)))
    const keys = firsts.flatMap((first, i) => Array.from({ length: counts[i] ?? 0 }, (_, n) => first + n))
    expect(new Set(keys).size).toBe(counts.reduce((a, b) => a + b))
    const next = await stores.sessions.reserveKeys(1)
    expect(next).toBeGreaterThan(Math.max(...keys))
    expect(Math.min(...keys)).toBeGreaterThan(0)
  })
})
