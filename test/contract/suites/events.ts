import { expect } from 'vitest'
import type { MessageId, PartId, QueueId, RunId, ScopeKey } from '../../../src/kernel/ids.ts'
import { type EventBody, type HarnessEvent, SCOPE_ITSELF } from '../../../src/domain/event/event.ts'
import type { Session } from '../../../src/domain/session/session.ts'
import type { EventFilter } from '../../../src/ports/stores/events.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { draftOf } from '../support/rows.ts'
import { failureOf, newScope, newWriteId, NOW, type World } from '../support/world.ts'

const sequencesOf = (events: readonly HarnessEvent[]) => events.map(({ sequence }) => sequence)

const entry = {
  queueId: 'q' as QueueId,
  status: 'FAILED',
  runId: 'r' as RunId,
  error: { code: 'A', message: 'b', source: 'model' },
  clientRequestId: 'c',
  budget: { totalTokens: 7, wallClockMs: null, idleMs: null },
  createdBy: 'somebody',
  createdAt: NOW,
  startedAt: NOW,
  finishedAt: null,
} as const
const prompted = { queueId: entry.queueId, runId: entry.runId, entry }
const message = { runId: entry.runId, messageId: 'm' as MessageId, messageIndex: 3 }
const part = { ...message, partId: 'p' as PartId, partIndex: 4 }

/** One of each type. */
const bodies: readonly EventBody[] = [
  { type: 'session.created', title: null, agent: null, depth: 0, createdBy: 'somebody' },
  { type: 'prompt.queued', ...prompted },
  { type: 'prompt.started', ...prompted },
  { type: 'prompt.running', ...prompted },
  { type: 'prompt.finished', ...prompted, runId: null },
  { type: 'run.started', runId: entry.runId, messageId: message.messageId },
  { type: 'run.finished', runId: entry.runId, messageId: message.messageId, status: 'FAILED', error: entry.error },
  { type: 'message.created', ...message },
  { type: 'message.updated', ...message },
  { type: 'part.created', ...part },
  { type: 'part.completed', ...part },
]

/** Reads to the end, whatever the length of the pages. */
async function readAll({ stores }: World, query: { scopeKey: ScopeKey; filter?: EventFilter; limit?: number }) {
  const { scopeKey, filter = {}, limit = 100 } = query
  const { head } = await stores.events.bounds(scopeKey)
  const events: HarnessEvent[] = []
  for (let after = 0; after < head;) {
    const page = await stores.events.read({ scopeKey, filter, after, limit })
    expect(page.scannedTo).toBeGreaterThan(after)
    expect(page.events.length).toBeLessThanOrEqual(limit)
    for (const { sequence } of page.events) expect(sequence > after && sequence <= page.scannedTo).toBe(true)
    events.push(...page.events)
    after = page.scannedTo
  }
  return events
}

async function numbered(world: World, session: Session, count: number) {
  await world.commit({ events: Array.from({ length: count }, (_, i) => draftOf(session, i + 1)) })
}

export const eventsSuite = contractSuite('events', (test) => {
  test('C23: an event of every type comes back as committed, with the identity of its session', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    const committed = await commit({ events: bodies.map((body, i) => draftOf(session, i, body)) })
    const page = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 100 })
    expect(page.events).toEqual(
      bodies.map((body, i) => ({
        scopeKey: scope.key,
        sequence: committed.firstSequence + i,
        timestamp: NOW + i,
        sessionKey: session.key,
        sessionId: session.sessionId,
        generation: session.generation,
        path: session.place.path,
        body,
      })),
    )
  })

  test('C23: an event of a session that the same commit creates knows its generation and path', async (world) => {
    const { stores, scope, commit, create, seed } = world
    const parent = await create()
    const child = await seed({ parent })
    await commit({ created: [child], events: [draftOf(child, 1)] })
    const stored = await world.reload(child)
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 9 })
    const { sessionId, generation, place } = stored
    expect(events).toMatchObject([{ sessionKey: child.key, sessionId, generation, path: place.path }])
  })

  test('C50: an event about the scope itself is numbered with the others, about no session and in no subtree', async (world) => {
    const { stores, scope, change, create } = world
    const session = await create()
    const fenced = { sessionKey: SCOPE_ITSELF, timestamp: NOW, body: { type: 'scope.fenced', reason: 'why' } } as const
    const restored = { ...fenced, body: { type: 'scope.restored', fencedAt: NOW - 7 } } as const
    await stores.unit.commit(newWriteId(), [change({ events: [fenced] }), change({ events: [draftOf(session, 1), restored] })])
    const { key: scopeKey } = scope
    const about = { scopeKey, sessionKey: SCOPE_ITSELF, sessionId: null, generation: null, path: '', timestamp: NOW }
    const all = await readAll(world, { scopeKey })
    expect(all[0]).toEqual({ ...about, sequence: 1, body: fenced.body })
    expect(all[1]).toMatchObject({ sequence: 2, sessionKey: session.key })
    expect(all[2]).toEqual({ ...about, sequence: 3, body: restored.body })
    const filter = { session: { key: session.key, path: session.place.path, includeDescendants: true } }
    expect(sequencesOf(await readAll(world, { scopeKey, filter }))).toEqual([2])
    expect(sequencesOf(await readAll(world, { scopeKey, filter: { types: ['scope.fenced', 'scope.restored'] } }))).toEqual([1, 3])
    while ((await stores.events.purge([session.key], 10)) > 0);
    expect(sequencesOf(await readAll(world, { scopeKey }))).toEqual([1, 3])
  })

  test('C50: an event about a session that does not exist is still refused', async ({ commit, create, stores, scope }) => {
    const nobody = { ...(await create()), key: await stores.sessions.reserveKeys(1) }
    const scopeEvent = { sessionKey: SCOPE_ITSELF, timestamp: NOW, body: { type: 'scope.fenced', reason: 'why' } } as const
    expect(await failureOf(commit({ events: [scopeEvent, draftOf(nobody, 1)] }))).toBeDefined()
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 0, floor: 0 })
  })

  test('C23: the bounds of a log are those of its scope', async (world) => {
    const { stores, scope, create } = world
    const elsewhere = await newScope(stores)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 0, floor: 0 })
    await numbered(world, await create(), 7)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 7, floor: 0 })
    expect(await stores.events.bounds(elsewhere.key)).toEqual({ head: 0, floor: 0 })
    expect(await stores.scopes.findMany([scope.key])).toMatchObject([{ sequence: 7, floor: 0 }])
  })

  test('C23: pages go on after a sequence, oldest first, and say how far they looked', async (world) => {
    const { stores, scope, create } = world
    await numbered(world, await create(), 5)
    const read = async (after: number, limit: number) => {
      const { events, scannedTo } = await stores.events.read({ scopeKey: scope.key, filter: {}, after, limit })
      return { sequences: sequencesOf(events), scannedTo }
    }
    expect(await read(0, 2)).toEqual({ sequences: [1, 2], scannedTo: 2 })
    expect(await read(2, 2)).toEqual({ sequences: [3, 4], scannedTo: 4 })
    expect(await read(4, 2)).toEqual({ sequences: [5], scannedTo: 5 })
    expect(await read(5, 2)).toEqual({ sequences: [], scannedTo: 5 })
    const empty = await newScope(stores)
    const nothing = await stores.events.read({ scopeKey: empty.key, filter: {}, after: 0, limit: 2 })
    expect(nothing).toEqual({ events: [], scannedTo: 0 })
  })

  test('C23: filters by session, by subtree and by type leave out everything else', async (world) => {
    const { scope, commit, create } = world
    const root = await create()
    const other = await create()
    const child = await create({ parent: root })
    const leaf = await create({ parent: child })
    const elsewhere = await create({ scopeKey: (await newScope(world.stores)).key })
    await commit({ scopeKey: elsewhere.scopeKey, events: [draftOf(elsewhere, 0)] })
    const started = bodies[5]!
    const finished = bodies[6]!
    const drafts = [root, other, child, leaf].flatMap((session, i) => [
      draftOf(session, i, started),
      draftOf(session, i, finished),
    ])
    await commit({ events: drafts })
    const of = ({ key, place: { path } }: Session, includeDescendants: boolean) => ({
      session: { key, path, includeDescendants },
    })
    const cases: readonly [EventFilter, readonly number[]][] = [
      [{}, [1, 2, 3, 4, 5, 6, 7, 8]],
      [of(root, false), [1, 2]],
      [of(root, true), [1, 2, 5, 6, 7, 8]],
      [of(child, true), [5, 6, 7, 8]],
      [of(leaf, true), [7, 8]],
      [{ types: ['run.finished'] }, [2, 4, 6, 8]],
      [{ types: ['run.finished', 'run.started'] }, [1, 2, 3, 4, 5, 6, 7, 8]],
      [{ types: ['part.created'] }, []],
      [{ ...of(root, true), types: ['run.started'] }, [1, 5, 7]],
      [{ ...of(child, true), types: ['run.started'] }, [5, 7]],
      [{ ...of(other, false), types: ['run.started', 'part.created'] }, [3]],
      [{ ...of(other, true), types: ['run.finished'] }, [4]],
    ]
    for (const [filter, expected] of cases) {
      for (const limit of [100, 1]) {
        const sequences = sequencesOf(await readAll(world, { scopeKey: scope.key, filter, limit }))
        expect({ filter, sequences }).toEqual({ filter, sequences: expected })
      }
    }
  })

  test('C23: a rare event in a long log is found in steps, each over a bounded number of rows', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    const size = 12_000
    await commit({ events: Array.from({ length: size }, (_, i) => draftOf(session, i, bodies[5])) })
    await commit({ events: [draftOf(session, 1, bodies[6])] })
    const { key, place } = session
    const types = ['run.finished'] as const
    const itself = { key, path: place.path, includeDescendants: false }
    for (const filter of [
      { types },
      { types, session: itself },
      { types, session: { ...itself, includeDescendants: true } },
    ]) {
      const first = await stores.events.read({ scopeKey: scope.key, filter, after: 0, limit: 10 })
      expect(first.events).toEqual([])
      expect(first.scannedTo).toBeLessThan(size)
      expect(sequencesOf(await readAll(world, { scopeKey: scope.key, filter }))).toEqual([size + 1])
    }
  })

  test('C52: what a session and its descendants have in a long log is found at once', async (world) => {
    const { stores, scope, commit, create } = world
    const [busy, quiet] = [await create(), await create()]
    const child = await create({ parent: quiet })
    const size = 12_000
    const noise = Array.from({ length: size }, (_, i) => draftOf(busy, i))
    await commit({ events: [draftOf(quiet, 1), ...noise, draftOf(child, 1), draftOf(quiet, 2)] })
    const read = async (session: Session, wanted: { includeDescendants: boolean; after?: number; limit?: number }) => {
      const { includeDescendants, after = 0, limit = 10 } = wanted
      const filter = { session: { key: session.key, path: session.place.path, includeDescendants } }
      const { events, scannedTo } = await stores.events.read({ scopeKey: scope.key, filter, after, limit })
      return [...sequencesOf(events), scannedTo]
    }
    const [last, head] = [size + 2, size + 3]
    expect(await read(quiet, { includeDescendants: true })).toEqual([1, last, head, head])
    expect(await read(quiet, { includeDescendants: true, limit: 2 })).toEqual([1, last, last])
    expect(await read(quiet, { includeDescendants: true, after: 1, limit: 1 })).toEqual([last, last])
    expect(await read(quiet, { includeDescendants: false })).toEqual([1, head, head])
    expect(await read(quiet, { includeDescendants: false, after: 1, limit: 1 })).toEqual([head, head])
    expect(await read(child, { includeDescendants: true })).toEqual([last, head])
    expect(await read(child, { includeDescendants: false, after: 5 })).toEqual([last, head])
    await stores.events.prune(scope.key, { before: 0, keep: 2, limit: size * 2 })
    expect(await read(quiet, { includeDescendants: true })).toEqual([last, head, head])
    await stores.events.purge([child.key], 5)
    expect(await read(quiet, { includeDescendants: true, limit: 3 })).toEqual([head, head])
    expect(await read(child, { includeDescendants: true })).toEqual([head])
  })

  test('C24: pruning removes the oldest events by age, in limited steps, and raises the floor', async (world) => {
    const { stores, scope, create } = world
    await numbered(world, await create(), 10)
    const prune = (before: number, limit: number) => stores.events.prune(scope.key, { before, keep: 1000, limit })
    expect(await prune(NOW + 1, 100)).toBe(0)
    expect(await prune(NOW + 6, 3)).toBe(3)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 10, floor: 3 })
    expect(await prune(NOW + 6, 3)).toBe(2)
    expect(await prune(NOW + 6, 3)).toBe(0)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 10, floor: 5 })
    const { events, scannedTo } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 5, limit: 100 })
    expect([sequencesOf(events), scannedTo]).toEqual([[6, 7, 8, 9, 10], 10])
  })

  test('C24: pruning keeps no more than the newest events, of this scope alone', async (world) => {
    const { stores, scope, commit, create } = world
    const elsewhere = await newScope(stores)
    const far = await create({ scopeKey: elsewhere.key })
    await commit({ scopeKey: elsewhere.key, events: [1, 2, 3].map((n) => draftOf(far, n)) })
    const session = await create()
    await numbered(world, session, 10)
    expect(await stores.events.prune(scope.key, { before: 0, keep: 10, limit: 100 })).toBe(0)
    expect(await stores.events.prune(scope.key, { before: 0, keep: 4, limit: 100 })).toBe(6)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 10, floor: 6 })
    expect(sequencesOf(await readAll(world, { scopeKey: scope.key }))).toEqual([7, 8, 9, 10])
    expect(sequencesOf(await readAll(world, { scopeKey: elsewhere.key }))).toEqual([1, 2, 3])
    expect(await stores.events.prune(scope.key, { before: 0, keep: 0, limit: 100 })).toBe(4)
    expect(await stores.events.bounds(scope.key)).toEqual({ head: 10, floor: 10 })
    await commit({ events: [draftOf(session, 11)] })
    expect(sequencesOf(await readAll(world, { scopeKey: scope.key }))).toEqual([11])
  })
})
