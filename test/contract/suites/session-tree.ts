import { expect } from 'vitest'
import type { SessionKey } from '../../../src/kernel/ids.ts'
import type { Session, SessionStatus } from '../../../src/domain/session/session.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { runIdOf } from '../support/rows.ts'
import { positionOf } from '../support/position-of.ts'
import { newScope, nextRow, NOW, type World } from '../support/world.ts'

const keysOf = (sessions: readonly { readonly key: SessionKey }[]) => sessions.map(({ key }) => key)
const pathsOf = (sessions: readonly Session[]) => sessions.map(({ place }) => place.path)

/**
 *     root ─ child ─ grandchild ─ leaf        other ─ stranger
 *          └ sibling
 */
async function family({ create }: World) {
  const root = await create()
  const other = await create()
  const child = await create({ parent: root, at: NOW + 1 })
  const sibling = await create({ parent: root, at: NOW + 2 })
  const grandchild = await create({ parent: child })
  const stranger = await create({ parent: other })
  const leaf = await create({ parent: grandchild })
  return { root, other, child, sibling, grandchild, stranger, leaf }
}

const makeBusy = (session: Session) => nextRow(session, { work: { kind: 'queued', since: NOW } })

const makeWaiting = (session: Session) =>
  nextRow(session, {
    work: { kind: 'running', since: NOW, runId: runIdOf(session, 0), run: 0, doing: 'AWAITING_PERMISSION' },
  })

export const sessionTreeSuite = contractSuite('session tree', (test) => {
  test('C6: a child stands below its parent, on a path of the revisions that created them', async (world) => {
    const { root, child, grandchild } = await family(world)
    expect(pathsOf([root, child, grandchild])).toEqual([
      '000000000001',
      '000000000001000000000003',
      '000000000001000000000003000000000005',
    ])
    expect(grandchild.place).toMatchObject({ parentKey: child.key, rootKey: root.key, depth: 2, agent: 'worker' })
    expect(grandchild.place.origin).toMatchObject({ parentToolCallId: 'call-1' })
    expect(grandchild.generation.generationSequence).toBe(5)
  })

  test('C16: children of many parents are paged at once, newest activity first', async (world) => {
    const { stores, create } = world
    const { root, child, other, leaf, sibling, stranger } = await family(world)
    const further = [await create({ parent: root, at: NOW + 2 }), await create({ parent: root, at: NOW })]
    const order = [further[0]!, sibling, child, further[1]!]
    const pages = await stores.sessions.children([
      { parentKey: leaf.key, limit: 5 },
      { parentKey: root.key, limit: 2 },
      { parentKey: other.key, limit: 5 },
      { parentKey: root.key, after: positionOf(order[1]!), limit: 5 },
      { parentKey: root.key, after: positionOf(order[0]!), limit: 1 },
      { parentKey: root.key, after: positionOf(order[3]!), limit: 5 },
    ])
    expect(pages.map(keysOf)).toEqual([
      [],
      keysOf(order.slice(0, 2)),
      [stranger.key],
      keysOf(order.slice(2)),
      keysOf(order.slice(1, 2)),
      [],
    ])
    expect(pages[2]).toEqual([stranger])
    expect(await stores.sessions.children([])).toEqual([])
  })

  test('C16: children are counted for each parent, in their order', async (world) => {
    const { root, child, other, leaf } = await family(world)
    const parents = keysOf([leaf, root, child, other, root])
    expect(await world.stores.sessions.countChildren(parents)).toEqual([0, 2, 1, 1, 2])
    expect(await world.stores.sessions.countChildren([])).toEqual([])
  })

  test('C16: descendants are listed by path, every parent before its children', async (world) => {
    const { stores, scope, create } = world
    const { root, other, child, sibling, grandchild, stranger, leaf } = await family(world)
    const elsewhere = await newScope(stores)
    const twin = await create({ scopeKey: elsewhere.key })
    await create({ scopeKey: elsewhere.key, parent: twin })
    expect(twin.place.path).toBe(root.place.path)
    const read = (path: string, wishes: { maxDepth?: number; after?: string; limit?: number } = {}) =>
      stores.sessions.descendants({ scopeKey: scope.key, path, limit: 100, ...wishes })
    const { path } = root.place
    expect(await read(path)).toEqual([child, grandchild, leaf, sibling])
    expect(keysOf(await read(path, { maxDepth: 1 }))).toEqual(keysOf([child, sibling]))
    expect(keysOf(await read(path, { maxDepth: 2 }))).toEqual(keysOf([child, grandchild, sibling]))
    expect(keysOf(await read(path, { maxDepth: 0 }))).toEqual([])
    expect(keysOf(await read(path, { limit: 2 }))).toEqual(keysOf([child, grandchild]))
    expect(keysOf(await read(path, { after: grandchild.place.path, limit: 2 }))).toEqual(keysOf([leaf, sibling]))
    expect(keysOf(await read(path, { after: child.place.path, maxDepth: 1 }))).toEqual(keysOf([sibling]))
    expect(keysOf(await read(path, { after: sibling.place.path }))).toEqual([])
    expect(keysOf(await read(child.place.path))).toEqual(keysOf([grandchild, leaf]))
    expect(keysOf(await read(other.place.path))).toEqual([stranger.key])
    expect(await read(leaf.place.path)).toEqual([])
  })

  test('C16: a subtree has the heaviest status of any session in it', async (world) => {
    const { stores, scope, commit, create } = world
    const { root, other, child, sibling, grandchild, stranger, leaf } = await family(world)
    const elsewhere = await newScope(stores)
    const twin = await create({ scopeKey: elsewhere.key })
    await commit({ scopeKey: elsewhere.key, sessions: [makeBusy(twin)] })
    const paths = pathsOf([leaf, root, other, sibling, grandchild, child])
    const statuses = () => stores.sessions.subtreeStatuses(scope.key, paths)
    const all = (sessions: readonly Session[], status: SessionStatus) => pathsOf(sessions).map((path) => [path, status] as const)
    expect(await statuses()).toEqual(new Map())
    await commit({ sessions: [makeBusy(grandchild)] })
    expect(await statuses()).toEqual(new Map(all([root, child, grandchild], 'BUSY')))
    await commit({ sessions: [makeBusy(other), makeWaiting(leaf)] })
    const waiting = new Map([...all([root, child, grandchild, leaf], 'AWAITING_PERMISSION'), ...all([other], 'BUSY')])
    expect(await statuses()).toEqual(waiting)
    await commit({ sessions: [makeWaiting(stranger), makeBusy(await world.reload(leaf))] })
    const moved = [...all([root, child, grandchild, leaf], 'BUSY'), ...all([other], 'AWAITING_PERMISSION')]
    expect(await statuses()).toEqual(new Map(moved))
    expect(await stores.sessions.subtreeStatuses(scope.key, [])).toEqual(new Map())
    expect(await stores.sessions.subtreeStatuses(elsewhere.key, paths)).toEqual(new Map(all([twin], 'BUSY')))
  })

  test('C17: sessions with work are found in every scope, by key, page by page', async (world) => {
    const { stores, commit, create } = world
    const { root, child, sibling, grandchild, leaf } = await family(world)
    const elsewhere = await newScope(stores)
    const far = await create({ scopeKey: elsewhere.key })
    await commit({ sessions: [makeBusy(child)] })
    const running = { kind: 'running', since: NOW, runId: 'r' as never, run: 0, doing: 'THINKING' } as const
    await commit({ sessions: [nextRow(leaf, { work: running }), makeWaiting(grandchild)] })
    await commit({ scopeKey: elsewhere.key, sessions: [makeBusy(far)] })
    const seen: SessionKey[] = []
    for (let after = (root.key - 1) as SessionKey; ;) {
      const page = await stores.sessions.unsettled(after, 2)
      expect(page.length).toBeLessThanOrEqual(2)
      seen.push(...keysOf(page))
      const last = page.at(-1)
      if (!last) break
      after = last.key
    }
    expect(seen).toEqual(keysOf([child, grandchild, leaf, far]))
    const idle = nextRow(await world.reload(child), { work: { kind: 'idle', since: NOW } })
    await commit({ sessions: [idle] })
    const [next] = await stores.sessions.unsettled(root.key, 1)
    expect(next).toEqual(await world.reload(grandchild))
    expect(keysOf([sibling])).not.toContain(next?.key)
    expect((await stores.sessions.unsettled(undefined, 1)).length).toBe(1)
  })
})
