import { expect } from 'vitest'
import { addUsage, noUsage } from '../../../src/domain/run/usage.ts'
import { prefixesOf, type Session } from '../../../src/domain/session/session.ts'
import type { RollUp } from '../../../src/domain/session/writes.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  deleteGrant,
  executionOf,
  grantOf,
  insertExecution,
  insertGrant,
  insertPermission,
  permissionOf,
  usageOf,
} from '../support/rows.ts'
import { newScope, newWriteId, nextRow, NOW } from '../support/world.ts'

const rollUp = (
  { scopeKey }: Session,
  paths: readonly string[],
  gain: { tokens: number; descendants?: number },
): RollUp => ({
  scopeKey,
  paths,
  usage: usageOf(gain.tokens),
  descendants: gain.descendants ?? 0,
})

const times = (count: number, tokens: number) =>
  Array.from({ length: count }, () => usageOf(tokens)).reduce(addUsage, noUsage)

export const rollUpsSuite = contractSuite('roll-ups', (test) => {
  test('C7: the sessions at the listed paths gain, and no others', async ({ stores, commit, create, reload }) => {
    const root = await create()
    const child = await create({ parent: root })
    const sibling = await create({ parent: root })
    const leaf = await create({ parent: child })
    const elsewhere = await newScope(stores)
    const twin = await create({ scopeKey: elsewhere.key })
    expect(twin.place.path).toBe(root.place.path)
    await commit({ rollUps: [rollUp(child, prefixesOf(child.place.path), { tokens: 5, descendants: 2 })] })
    const gained = { usage: usageOf(5), descendants: 2 }
    expect(await reload(root)).toEqual({ ...root, tree: gained })
    expect(await reload(child)).toEqual({ ...child, tree: gained })
    for (const other of [sibling, leaf, twin]) expect(await reload(other)).toEqual(other)
  })

  test('C7: several gains of a session in one commit, and in one group, add up', async (world) => {
    const { stores, change, create, reload } = world
    const root = await create()
    const child = await create({ parent: root })
    const paths = prefixesOf(child.place.path)
    const gain = { tokens: 10, descendants: 1 }
    const group = [
      change({
        rollUps: [rollUp(child, paths, gain), rollUp(child, paths, gain), rollUp(root, [root.place.path], gain)],
      }),
      change({ rollUps: [rollUp(child, paths, gain)] }),
    ]
    await stores.unit.commit(newWriteId(), group)
    expect((await reload(child)).tree).toEqual({ usage: times(3, 10), descendants: 3 })
    expect((await reload(root)).tree).toEqual({ usage: times(4, 10), descendants: 4 })
  })

  test('C7: gains at the same time add up, without a conflict', async ({ commit, create, reload }) => {
    const root = await create()
    const children = [await create({ parent: root }), await create({ parent: root }), await create({ parent: root })]
    const gains = Array.from({ length: 18 }, (_, i) => {
      const child = children[i % 3]!
      return commit({ rollUps: [rollUp(child, prefixesOf(child.place.path), { tokens: 7, descendants: 1 })] })
    })
    await Promise.all(gains)
    expect((await reload(root)).tree).toEqual({ usage: times(18, 7), descendants: 18 })
    for (const child of children) expect((await reload(child)).tree).toEqual({ usage: times(6, 7), descendants: 6 })
  })

  test('C7: a change of a session keeps what was rolled up, also in the same commit', async ({
    commit,
    create,
    reload,
  }) => {
    const session = await create()
    const paths = [session.place.path]
    await commit({ rollUps: [rollUp(session, paths, { tokens: 1, descendants: 1 })] })
    // The row of this commit knows nothing of the gain before it.
    await commit({
      sessions: [nextRow(session, { usage: usageOf(50) })],
      rollUps: [rollUp(session, paths, { tokens: 1, descendants: 1 })],
    })
    expect(await reload(session)).toMatchObject({
      usage: usageOf(50),
      tree: { usage: times(2, 1), descendants: 2 },
      revision: 1,
    })
  })

  test('C7: what a session waits for adds nothing to what was rolled up', async ({ stores, commit, create, reload }) => {
    const root = await create()
    const child = await create({ parent: root })
    const paths = prefixesOf(child.place.path)
    await commit({
      sessions: [nextRow(child, { work: { kind: 'queued', since: NOW } })],
      rollUps: [rollUp(child, paths, { tokens: 2 })],
      rows: [
        insertPermission(permissionOf(child, 0)),
        insertGrant(grantOf(child, 'key')),
        insertExecution(executionOf(child, 0)),
      ],
    })
    await commit({ rows: [deleteGrant(grantOf(child, 'key'))], rollUps: [rollUp(child, paths, { tokens: 2 })] })
    expect((await reload(child)).tree).toEqual({ usage: times(2, 2), descendants: 0 })
    expect((await reload(root)).tree).toEqual({ usage: times(2, 2), descendants: 0 })
    expect(await stores.permissions.grants([child.key])).toEqual([])
  })

  test('C7: a session gains in the commit that creates it, as its ancestors do', async ({
    commit,
    create,
    seed,
    reload,
  }) => {
    const root = await create()
    const child = await seed({ parent: root })
    const path = `${root.place.path}000000000002`
    const rollUps = [
      rollUp(root, [root.place.path], { tokens: 0, descendants: 1 }),
      rollUp(root, prefixesOf(path), { tokens: 3 }),
    ]
    await commit({ created: [child], rollUps })
    expect((await reload(root)).tree).toEqual({ usage: addUsage(usageOf(0), usageOf(3)), descendants: 1 })
    expect((await reload(child)).tree).toEqual({ usage: usageOf(3), descendants: 0 })
  })

  test('C7: paths at which no session is left gain nothing and harm nothing', async ({
    stores,
    commit,
    create,
    reload,
  }) => {
    const root = await create()
    const child = await create({ parent: root })
    await stores.sessions.purge([child.key], 10)
    await commit({ rollUps: [rollUp(root, prefixesOf(child.place.path), { tokens: 4, descendants: -1 })] })
    expect((await reload(root)).tree).toEqual({ usage: usageOf(4), descendants: -1 })
  })
})
