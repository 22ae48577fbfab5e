import { expect } from 'vitest'
import type { PermissionId, RunId } from '../../../src/kernel/ids.ts'
import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { PermissionPosition } from '../../../src/ports/stores/permissions.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  deleteGrant,
  grantOf,
  insertGrant,
  insertPermission,
  permissionIdOf,
  permissionOf,
  resolvedState,
  runIdOf,
  updatePermission,
} from '../support/rows.ts'
import { failureOf, newScope, NOW, type World } from '../support/world.ts'

const states: readonly Permission['state'][] = [
  { kind: 'pending' },
  { kind: 'resolved', decision: 'ONCE', message: null, by: 'somebody', at: NOW + 1 },
  { kind: 'resolved', decision: 'ALWAYS', message: null, by: 'somebody', at: NOW + 2 },
  { kind: 'resolved', decision: 'REJECT', message: 'Not there.', by: 'somebody', at: NOW + 3 },
  { kind: 'resolved', decision: 'GRANTED_BEFORE', message: null, by: null, at: NOW + 4 },
  { kind: 'resolved', decision: 'CANCELLED', message: null, by: null, at: NOW + 5 },
]

const byPlace = (a: Permission, b: Permission) => a.sessionKey - b.sessionKey || a.ordinal - b.ordinal
const idsOf = (permissions: readonly Permission[]) => permissions.map(({ permissionId }) => permissionId)

/** The whole inbox of a scope in pages of two, each going on where the one before ended. */
async function inboxOf({ stores, scope }: World): Promise<readonly Permission[]> {
  const all: Permission[] = []
  for (let after: PermissionPosition | undefined; ; ) {
    const page = await stores.permissions.inbox(scope.key, after, 2)
    expect(page.length).toBeLessThanOrEqual(2)
    all.push(...page)
    const last = page.at(-1)
    if (!last) return all
    after = { createdAt: last.createdAt, permissionId: last.permissionId }
  }
}

export const permissionsSuite = contractSuite('permissions', (test) => {
  test('C28: requests come back as they were put in, whatever their state', async ({ stores, commit, create }) => {
    const session = await create()
    const bare = { toolCallId: null, rememberKey: null, metadata: null }
    const requests = states.map((state, i) => permissionOf(session, i, { state, ...(i % 2 === 1 && bare) }))
    await commit({ rows: requests.map(insertPermission) })
    const found = await stores.permissions.findMany([...idsOf(requests), 'nothing' as PermissionId])
    expect(found.toSorted(byPlace)).toEqual(requests)
    expect(await stores.permissions.findMany([])).toEqual([])
  })

  test('C28: a request that is answered keeps what was asked, and waits no more', async (world) => {
    const { stores, scope, commit, create } = world
    for (const state of states.slice(1)) {
      const session = await create()
      const [first, second] = [permissionOf(session, 0), permissionOf(session, 1)]
      await commit({ rows: [insertPermission(first), insertPermission(second)] })
      expect(await stores.permissions.pending([session.key])).toEqual([first, second])
      await commit({ rows: [updatePermission({ ...first, state })] })
      expect(await stores.permissions.pending([session.key])).toEqual([second])
      expect(await stores.permissions.findMany([first.permissionId])).toEqual([{ ...first, state }])
      await commit({ rows: [updatePermission({ ...second, state })] })
      expect(await stores.permissions.pending([session.key])).toEqual([])
      expect(await stores.permissions.inbox(scope.key, undefined, 9)).toEqual([])
    }
  })

  test('C28: those that wait are listed for each session by ordinal, those of runs too', async (world) => {
    const { stores, commit, create } = world
    const [session, other, empty] = [await create(), await create(), await create()]
    const runOf = (ordinal: number): RunId => runIdOf(session, ordinal < 3 ? 0 : 1)
    const state = (ordinal: number) => (ordinal % 2 === 0 ? states[0]! : resolvedState(NOW))
    const requests = [10, 9, 2, 1, 0].map((i) => permissionOf(session, i, { runId: runOf(i), state: state(i) }))
    const foreign = permissionOf(other, 0)
    await commit({ rows: [...requests, foreign].map(insertPermission) })
    const pending = await stores.permissions.pending([empty.key, session.key, other.key])
    const ordinals = pending.filter(({ sessionKey }) => sessionKey === session.key).map(({ ordinal }) => ordinal)
    expect(ordinals).toEqual([0, 2, 10])
    expect(pending.toSorted(byPlace)).toEqual([requests[4], requests[2], requests[0], foreign])
    expect(await stores.permissions.pending([])).toEqual([])
    const ofRun = async (...runs: readonly RunId[]) => (await stores.permissions.ofRuns(runs)).map(({ ordinal }) => ordinal)
    expect(await ofRun(runIdOf(session, 0))).toEqual([0, 1, 2])
    expect(await ofRun(runIdOf(session, 1), 'nothing' as RunId, runIdOf(session, 0))).toEqual([0, 1, 2, 9, 10])
    expect(await ofRun(runIdOf(empty, 0))).toEqual([])
    expect(await ofRun()).toEqual([])
  })

  test('C28: the latest are listed newest first, so many of each session', async ({ stores, commit, create }) => {
    const [session, other, empty] = [await create(), await create(), await create()]
    const state = (ordinal: number) => (ordinal === 10 ? resolvedState(NOW) : states[0]!)
    const requests = [0, 2, 9, 10].map((i) => permissionOf(session, i, { state: state(i), createdAt: NOW - i }))
    const foreign = [0, 1].map((i) => permissionOf(other, i))
    await commit({ rows: [...requests, ...foreign].map(insertPermission) })
    const latest = await stores.permissions.latest([other.key, empty.key, session.key], 3)
    const of = (key: number) => latest.filter(({ sessionKey }) => sessionKey === key)
    expect(of(session.key)).toEqual([requests[3], requests[2], requests[1]])
    expect(of(other.key)).toEqual(foreign.toReversed())
    expect(latest).toHaveLength(5)
    expect(await stores.permissions.latest([], 3)).toEqual([])
  })

  test('C28: the inbox of a scope has all that wait, oldest first, ties by the bytes of their ids', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    const child = await create({ parent: session })
    const elsewhere = await newScope(stores)
    const far = await create({ scopeKey: elsewhere.key })
    const { generationId } = session.generation
    // Collations ignore the hyphen, or put lower case first.
    const names = ['-B', '-a', 'A-', 'B', 'a', 'b'].map((name) => `${generationId} ${name}` as PermissionId)
    const tied = names.map((permissionId, i) => permissionOf(session, 10 - i, { permissionId, createdAt: NOW + 5 }))
    const [older, newer] = [permissionOf(child, 1, { createdAt: NOW + 4 }), permissionOf(child, 0, { createdAt: NOW + 6 })]
    const answered = permissionOf(child, 2, { createdAt: NOW + 5, state: resolvedState(NOW) })
    const rows = [newer, ...tied.toReversed(), older, answered]
    await commit({ rows: rows.map(insertPermission) })
    await commit({ scopeKey: elsewhere.key, rows: [insertPermission(permissionOf(far, 0))] })
    expect(await inboxOf(world)).toEqual([older, ...tied, newer])
    const read = (after: PermissionPosition) => stores.permissions.inbox(scope.key, after, 9)
    const gone = { createdAt: NOW + 5, permissionId: `${generationId} AA` as PermissionId }
    expect(idsOf(await read(gone))).toEqual(idsOf([...tied.slice(3), newer]))
    expect(await read({ createdAt: NOW + 6, permissionId: newer.permissionId })).toEqual([])
    expect(await stores.permissions.inbox(elsewhere.key, undefined, 9)).toEqual([permissionOf(far, 0)])
  })

  test('C28: a request is asked once', async ({ commit, create }) => {
    const [session, other] = [await create(), await create()]
    await commit({ rows: [insertPermission(permissionOf(session, 0))] })
    const { permissionId } = permissionOf(session, 0)
    for (const again of [permissionOf(session, 0), permissionOf(other, 0, { permissionId })]) {
      expect(await failureOf(commit({ rows: [insertPermission(again)] }))).toBe('conflict')
    }
  })

  test('C29: grants come back as they were put in, oldest first, ties by key', async ({ stores, commit, create }) => {
    const [session, other, empty] = [await create(), await create(), await create()]
    const by = { permissionId: permissionIdOf(session, 7), grantedBy: 'someone else' }
    const keys = ['-b', 'B', 'a', 'a-', '\u{1F388}', '\uFF5E'].map((key) => grantOf(session, key))
    const oldest = grantOf(session, 'z', { createdAt: NOW - 1, ...by })
    const newest = grantOf(other, 'A', { createdAt: NOW + 1 })
    const twin = grantOf(other, 'a')
    await commit({ rows: [newest, ...keys.toReversed(), twin, oldest].map(insertGrant) })
    const mine = [oldest, ...keys]
    expect(await stores.permissions.grants([session.key])).toEqual(mine)
    const all = await stores.permissions.grants([other.key, empty.key, session.key])
    expect(all).toEqual([...mine.slice(0, 4), twin, ...mine.slice(4), newest])
    expect(await stores.permissions.grants([empty.key])).toEqual([])
    expect(await stores.permissions.grants([])).toEqual([])
  })

  test('C29: a grant lives until it is deleted, and no other one dies with it', async ({ stores, commit, create }) => {
    const [session, other] = [await create(), await create()]
    const grants = ['one', 'two'].flatMap((key) => [grantOf(session, key), grantOf(other, key)])
    await commit({ rows: grants.map(insertGrant) })
    await commit({ rows: [deleteGrant({ ...grants[0]!, createdAt: NOW + 9, grantedBy: 'x' })] })
    expect(await stores.permissions.grants([session.key, other.key])).toEqual([grants[1], grants[2], grants[3]])
    // Neither what is gone nor what never was can be in the way.
    await commit({ rows: [deleteGrant(grants[0]!), deleteGrant(grantOf(session, 'three'))] })
    const again = grantOf(session, 'one', { createdAt: NOW + 1 })
    await commit({ rows: [insertGrant(again)] })
    expect(await stores.permissions.grants([session.key])).toEqual([grants[2], again])
    expect(await failureOf(commit({ rows: [insertGrant(again)] }))).toBe('conflict')
  })

  test('C29: a commit may revoke a grant and grant the same again', async ({ stores, commit, create }) => {
    const session = await create()
    const [grant, again] = [grantOf(session, 'key'), grantOf(session, 'key', { createdAt: NOW + 1, grantedBy: 'x' })]
    await commit({ rows: [insertGrant(grant)] })
    await commit({ rows: [deleteGrant(grant), insertGrant(again)] })
    expect(await stores.permissions.grants([session.key])).toEqual([again])
  })
})
