import { expect } from 'vitest'
import type { SessionId } from '../../../src/kernel/ids.ts'
import { prefixesOf, type Session } from '../../../src/domain/session/session.ts'
import type { Member } from '../../../src/domain/deletion/tombstone.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { death, deleting, end, reserving, subtreeOf } from '../support/deaths.ts'
import { settleOf } from '../../../src/domain/deletion/settle.ts'
import { draftOf, insertLog, insertPermission, logOf, permissionOf } from '../support/rows.ts'
import { failureOf, newScope, nextRow, NOW, type World } from '../support/world.ts'

/**
 *     root ─ child ─ grandchild
 *          └ sibling
 *     other
 */
async function family({ create }: World) {
  const root = await create()
  const other = await create()
  const child = await create({ parent: root })
  const sibling = await create({ parent: root })
  const grandchild = await create({ parent: child })
  return { root, other, child, sibling, grandchild }
}

const memberOf = ({ key, sessionId, generation, place }: Session): Member => ({
  key,
  sessionId,
  generation,
  path: place.path,
})

const refused = (failure: string | undefined) => expect(['conflict', 'fenced']).toContain(failure)

export const structureSuite = contractSuite('structure', (test) => {
  test('C60: a reserved subtree is no longer among the living, and stands among the tombstones', async (world) => {
    const { stores, scope, commit } = world
    const { root, child, sibling, grandchild } = await family(world)
    await commit(await death(stores, child))
    expect(await stores.sessions.findMany([root.key, child.key, grandchild.key])).toMatchObject([{ key: root.key }])
    expect(await stores.sessions.find(scope.key, child.sessionId)).toBeUndefined()
    expect(await stores.sessions.descendants({ scopeKey: scope.key, path: root.place.path, limit: 9 })).toEqual([sibling])
    const common = { scopeKey: scope.key, group: child.key, deletedAt: deleting.at, deletedBy: 'ann', owner: null, settled: false }
    const born = ({ sessionId, generation }: Session, { place }: Session) => ({
      parent: { sessionId, generation },
      origin: place.origin,
      agent: 'worker',
    })
    const tombstones = [
      { ...memberOf(child), ...common, groupDepth: 0, depth: 1, provenance: born(root, child) },
      { ...memberOf(grandchild), ...common, groupDepth: 1, depth: 2, provenance: born(child, grandchild) },
    ]
    expect(await stores.structure.group({ group: child.key, limit: 9 })).toEqual(tombstones)
    expect(await stores.structure.slot(scope.key, grandchild.sessionId)).toEqual({
      kind: 'tombstoned',
      key: grandchild.key,
      group: child.key,
    })
    expect(await stores.structure.slot(scope.key, root.sessionId)).toEqual({ kind: 'live', key: root.key })
    await commit(await death(stores, root))
    expect(await stores.structure.tombstonesOf([root.key])).toMatchObject([{ provenance: null, depth: 0, groupDepth: 0 }])
  })

  test('C60: who executed a run of a reserved session is known until it lets go', async (world) => {
    const { stores, commit, create } = world
    const [mine, theirs] = [await create({ row: { owner: 'p' } }), await create({ row: { owner: 'q' } })]
    for (const session of [mine, theirs]) await commit(await death(stores, session))
    expect((await stores.structure.heldBy('p', 9)).map(({ key }) => key)).toContain(mine.key)
    await stores.structure.letGo('p', [mine.key, theirs.key])
    expect((await stores.structure.heldBy('p', 9)).map(({ key }) => key)).not.toContain(mine.key)
    const owners = (await stores.structure.tombstonesOf([mine.key, theirs.key])).map(({ key, owner }) => [key, owner])
    expect(new Map(owners as [number, string | null][])).toEqual(new Map([[mine.key, null], [theirs.key, 'q']]))
  })

  test('C61: a reservation misses when a child was created below its top since it was read', async (world) => {
    const { stores, scope, commit, create } = world
    for (const place of ['child', 'grandchild'] as const) {
      const tree = await family(world)
      const decided = reserving(scope.key, await subtreeOf(stores, tree.child))
      const late = await create({ parent: tree[place] })
      refused(await failureOf(commit(decided)))
      expect(await stores.structure.group({ group: tree.child.key, limit: 9 })).toEqual([])
      expect(await stores.sessions.findMany([tree.child.key, late.key])).toHaveLength(2)
    }
  })

  test('C61: a reservation misses when something below its top was reserved, and the second of two misses', async (world) => {
    const { stores, scope, commit } = world
    const { root, child, grandchild } = await family(world)
    const whole = reserving(scope.key, await subtreeOf(stores, root))
    const part = reserving(scope.key, await subtreeOf(stores, child))
    await commit(await death(stores, grandchild))
    for (const decided of [whole, part]) refused(await failureOf(commit(decided)))
    const again = await death(stores, child)
    await commit(again)
    refused(await failureOf(commit(again)))
    expect(await stores.structure.group({ group: grandchild.key, limit: 9 })).toHaveLength(1)
    expect(await stores.structure.group({ group: child.key, limit: 9 })).toHaveLength(1)
  })

  test('C61: what happens beside a subtree, above it, or in its contents is no reason to miss', async (world) => {
    const { stores, scope, commit, create } = world
    const { root, child, sibling, grandchild } = await family(world)
    const decided = reserving(scope.key, await subtreeOf(stores, child))
    await create({ parent: sibling })
    await create({ parent: root })
    await commit({ sessions: [nextRow(grandchild)], rows: [insertLog(logOf(grandchild, 0))] })
    await commit(decided)
    expect(await stores.structure.group({ group: child.key, limit: 9 })).toHaveLength(2)
  })

  test('C62: nothing is written to a reserved session any more, and no child is born to it', async (world) => {
    const { stores, scope, change, commit, seed } = world
    const { child, grandchild } = await family(world)
    const late = nextRow(child)
    const orphan = await seed({ parent: grandchild })
    const rollUps = [{ ...(await death(stores, child)).rollUps![0]!, paths: prefixesOf(grandchild.place.path) }]
    await commit(await death(stores, child))
    const { sequence, revision } = (await stores.scopes.findMany([scope.key]))[0]!
    refused(await failureOf(commit({ sessions: [late], rows: [insertLog(logOf(child, 0))], events: [draftOf(child, 1)] })))
    refused(await failureOf(commit({ created: [orphan] })))
    refused(await failureOf(commit({ created: [orphan], rollUps, events: [draftOf(orphan, 1)] })))
    expect(await failureOf(commit({ events: [draftOf(child, 1)] }))).toBeDefined()
    expect(await stores.log.read(child.key, 0, 9)).toEqual([])
    expect((await stores.scopes.findMany([scope.key]))[0]).toMatchObject({ sequence, revision })
    expect(await stores.structure.slot(scope.key, orphan.sessionId)).toEqual({ kind: 'absent' })
    expect(change({}).scopeKey).toBe(scope.key)
  })

  test('C63: the id of a tombstone cannot be used, until it is finished; then it lives in another generation', async (world) => {
    const { stores, scope, commit, create, seed } = world
    const { sessionId, key } = await create()
    const elsewhere = await newScope(stores)
    await commit(await death(stores, (await stores.sessions.findMany([key]))[0]!))
    const again = await seed({ sessionId })
    refused(await failureOf(commit({ created: [again] })))
    await create({ sessionId, scopeKey: elsewhere.key })
    await commit(await end(stores, key))
    expect(await stores.structure.slot(scope.key, sessionId)).toEqual({ kind: 'absent' })
    await commit({ created: [again] })
    expect(await stores.sessions.find(scope.key, sessionId)).toMatchObject({
      key: again.key,
      generation: { generationSequence: 4 },
    })
  })

  test('C64: a finish removes a whole group at once, and its events know who the sessions were', async (world) => {
    const { stores, scope, commit } = world
    const { child, grandchild } = await family(world)
    await commit(await death(stores, child))
    const before = (await stores.events.bounds(scope.key)).head
    await commit(await end(stores, child.key))
    expect(await stores.structure.group({ group: child.key, limit: 9 })).toEqual([])
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: before, limit: 9 })
    expect(events.map(({ sessionKey, sessionId, generation, path }) => ({ key: sessionKey, sessionId, generation, path }))).toEqual(
      [grandchild, child].map(memberOf),
    )
    expect(events.map(({ sequence }) => sequence)).toEqual([before + 1, before + 2])
  })

  test('C64: of several who finish a group one does, and one that names another group finishes nothing', async (world) => {
    const { stores, scope, commit } = world
    const { child, grandchild } = await family(world)
    await commit(await death(stores, child))
    const { structure, ...rest } = await end(stores, child.key)
    const part = { ...structure!, members: structure!.members.slice(1) }
    refused(await failureOf(commit({ ...rest, events: [], structure: part })))
    expect(await stores.structure.group({ group: child.key, limit: 9 })).toHaveLength(2)
    const whole = { ...rest, structure: structure! }
    const failures = await Promise.all(Array.from({ length: 4 }, () => failureOf(commit(whole))))
    expect(failures.filter((failure) => failure === undefined)).toHaveLength(1)
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 99 })
    expect(events.map(({ sessionKey }) => sessionKey)).toEqual([grandchild.key, child.key])
    refused(await failureOf(commit({ structure: { kind: 'finish', group: child.key, members: [] } })))
  })

  test('C68: requests of a reserved session wait for nobody, and a group is settled once, with the events about it', async (world) => {
    const { stores, scope, commit } = world
    const { child, grandchild, other } = await family(world)
    const asked = [permissionOf(grandchild, 0), permissionOf(other, 0)]
    await commit({ rows: asked.map(insertPermission) })
    await commit(await death(stores, child))
    expect(await stores.permissions.inbox(scope.key, undefined, 9)).toEqual(asked.slice(1))
    const members = await stores.structure.group({ group: child.key, limit: 9 })
    const { structure, rows, events } = settleOf({ group: child.key, members, pending: asked.slice(0, 1), at: NOW })
    const before = await stores.events.bounds(scope.key)
    const { firstRevision } = await commit({ structure, rows, events })
    expect((await stores.scopes.findMany([scope.key]))[0]).toMatchObject({ revision: firstRevision - 1 })
    const told = await stores.events.read({ scopeKey: scope.key, filter: {}, after: before.head, limit: 9 })
    expect(told.events).toMatchObject([{ sessionKey: grandchild.key, sessionId: grandchild.sessionId }])
    expect(await stores.permissions.pending([grandchild.key])).toEqual([])
    expect((await stores.structure.tombstonesOf([child.key]))[0]?.settled).toBe(true)
    refused(await failureOf(commit({ structure, events })))
    refused(await failureOf(commit({ structure: { ...structure, group: other.key }, events: [] })))
  })

  test('C65: a reservation and a finish are one revision of the scope each', async (world) => {
    const { stores, scope, commit } = world
    const { root } = await family(world)
    const revision = async () => (await stores.scopes.findMany([scope.key]))[0]!.revision
    expect(await revision()).toBe(5)
    expect((await commit(await death(stores, root))).firstRevision).toBe(6)
    expect((await commit(await end(stores, root.key))).firstRevision).toBe(7)
    expect(await revision()).toBe(7)
  })

  test('C65: what is above a reserved subtree has as many descendants less', async (world) => {
    const { stores, commit, reload } = world
    const { root, child } = await family(world)
    const subtree = await subtreeOf(stores, child)
    await commit({ rollUps: [{ ...reserving(root.scopeKey, subtree).rollUps![0]!, descendants: 3 }] })
    await commit(await death(stores, child))
    expect((await reload(root)).tree.descendants).toBe(1)
  })

  test('C66: the members of a subtree and tombstones are listed by path, in pages', async (world) => {
    const { stores, scope, commit } = world
    const { structure } = stores
    const { root, other, child, sibling, grandchild } = await family(world)
    const { path } = root.place
    const query = { scopeKey: scope.key, path }
    expect(await structure.members({ ...query, limit: 9 })).toEqual([root, child, grandchild, sibling].map(memberOf))
    expect(await structure.members({ ...query, limit: 2 })).toEqual([root, child].map(memberOf))
    expect(await structure.members({ ...query, after: child.place.path, limit: 9 })).toEqual([grandchild, sibling].map(memberOf))
    expect(await structure.top(root.key)).toEqual({ ...memberOf(root), changes: 3 })
    await commit(await death(stores, child))
    await commit(await death(stores, sibling))
    await commit(await death(stores, other))
    const keys = async (wishes: { path?: string; after?: string; limit: number }) =>
      (await structure.tombstones({ scopeKey: scope.key, ...wishes })).map(({ key }) => key)
    expect(await keys({ limit: 9 })).toEqual([child.key, grandchild.key, sibling.key, other.key])
    expect(await keys({ path, limit: 9 })).toEqual([child.key, grandchild.key, sibling.key])
    expect(await keys({ path, after: child.place.path, limit: 1 })).toEqual([grandchild.key])
    expect(await keys({ after: sibling.place.path, limit: 9 })).toEqual([other.key])
    const group = await structure.group({ group: child.key, after: child.place.path, limit: 9 })
    expect(group.map(({ key }) => key)).toEqual([grandchild.key])
    const tops = async (wishes: { after?: Session['key']; limit: number }) =>
      (await structure.groups({ scopeKey: scope.key, ...wishes })).map(({ key }) => key)
    expect(await tops({ limit: 9 })).toEqual([other, child, sibling].map(({ key }) => key))
    expect(await tops({ after: other.key, limit: 1 })).toEqual([child.key])
    const everywhere = await structure.groups({ limit: 999 })
    expect(everywhere.filter(({ scopeKey }) => scopeKey === scope.key)).toHaveLength(3)
    expect(await structure.slot(scope.key, 'nobody' as SessionId)).toEqual({ kind: 'absent' })
    expect(await structure.top(child.key)).toBeUndefined()
  })

  test('C67: of a birth in a subtree and its reservation at the same time one misses, or it knows of the other', async (world) => {
    const { stores, scope, commit, create } = world
    for (let round = 0; round < 12; round++) {
      const root = await create()
      const child = await create({ parent: root })
      const born = await world.seed({ parent: child })
      const decided = await death(stores, root)
      const birth = { created: [born], sessions: [nextRow(child)] }
      const isFirst = round % 2 === 0
      const commits = isFirst ? [decided, birth] : [birth, decided]
      const [first, second] = await Promise.all(commits.map((one) => failureOf(commit(one))))
      const [reservation, delivery] = isFirst ? [first, second] : [second, first]
      const slots = await Promise.all([root, child, born].map(({ sessionId }) => stores.structure.slot(scope.key, sessionId)))
      const kinds = slots.map(({ kind }) => kind)
      const dead = ['tombstoned', 'tombstoned', 'absent']
      expect(kinds).toEqual(reservation === undefined ? dead : ['live', 'live', 'live'])
      expect([reservation, delivery].filter((failure) => failure === undefined)).toHaveLength(1)
    }
  })
})
