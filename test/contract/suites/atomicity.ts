import { expect } from 'vitest'
import { prefixesOf } from '../../../src/domain/session/session.ts'
import type { FailureClass } from '../../../src/ports/stores/failure.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
  deleteGrant,
  draftOf,
  entryOf,
  executionOf,
  finishedState,
  foldChunks,
  grantOf,
  insertChunk,
  insertEntry,
  insertExecution,
  insertGrant,
  insertLog,
  insertMessage,
  insertPart,
  insertPermission,
  insertRequest,
  insertRun,
  logOf,
  messageOf,
  openPartOf,
  permissionOf,
  reconciledState,
  requestOf,
  resolvedState,
  runOf,
  updateEntry,
  updateExecution,
  updateMessage,
  updatePart,
  updatePermission,
  updateRun,
  usageOf,
} from '../support/rows.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { failureOf, newScope, newWriteId, nextRow, NOW, type World } from '../support/world.ts'

/** A session with one row of every kind, with a part that streams. */
async function settled({ create, commit, reload }: World): Promise<StoredSession> {
  const session = await create()
  const message = messageOf(session, 1)
  const part = openPartOf(message, 0)
  await commit({
    rows: [
      insertEntry(entryOf(session, 0)),
      insertRun(runOf(session, 0)),
      insertMessage(message),
      insertPart(part),
      insertChunk(chunkOf(part, 0, 'old')),
      insertLog(logOf(session, 0)),
      insertPermission(permissionOf(session, 0)),
      insertGrant(grantOf(session, 'old')),
      insertGrant(grantOf(session, 'revoked')),
      insertExecution(executionOf(session, 0)),
      insertRequest(requestOf(session, 'old')),
    ],
    events: [draftOf(session, 1)],
  })
  return reload(session)
}

/** A change of everything that a commit can change. */
async function everything({ change, seed }: World, session: StoredSession): Promise<Commit> {
  const message = messageOf(session, 1)
  const part = openPartOf(message, 0)
  return change({
    created: [await seed(), await seed({ parent: session })],
    sessions: [nextRow(session, { updatedAt: NOW + 99, work: { kind: 'queued', since: NOW + 99 }, epoch: 7 })],
    rollUps: [{ scopeKey: session.scopeKey, paths: prefixesOf(session.place.path), usage: usageOf(3), descendants: 1 }],
    rows: [
      updateEntry(entryOf(session, 0, { state: finishedState(null) })),
      insertEntry(entryOf(session, 1)),
      updateRun(runOf(session, 0, { steps: 3, state: { kind: 'generating', aborting: null } })),
      insertRun(runOf(session, 1)),
      updateMessage(messageOf(session, 1, { updatedAt: NOW + 99 })),
      insertMessage(messageOf(session, 2)),
      updatePart({ ...part, status: 'COMPLETED', body: { kind: 'text', text: 'new' }, finishedAt: NOW + 99 }),
      foldChunks(part),
      insertPart(openPartOf(message, 1)),
      insertChunk(chunkOf(openPartOf(message, 1), 0, 'new')),
      insertLog(logOf(session, 1)),
      updatePermission(permissionOf(session, 0, { state: resolvedState(NOW + 99) })),
      insertPermission(permissionOf(session, 1)),
      deleteGrant(grantOf(session, 'revoked')),
      insertGrant(grantOf(session, 'new')),
      updateExecution(executionOf(session, 0, { state: reconciledState(NOW + 99) })),
      insertExecution(executionOf(session, 1)),
      insertRequest(requestOf(session, 'new')),
    ],
    events: [draftOf(session, 2), draftOf(session, 3)],
  })
}

const absent: readonly FailureClass[] = ['conflict', 'notCommitted']

type Breaker = (world: World, session: StoredSession) => Promise<Partial<Commit>> | Partial<Commit>

/** Commits that must fail because of a single thing, and how. */
const breakers: Readonly<Record<string, readonly [readonly FailureClass[], Breaker]>> = {
  'a revision that is too low': [['conflict'], (_, s) => ({ sessions: [nextRow({ ...s, revision: s.revision - 1 })] })],
  'a revision that is too high': [
    ['conflict'],
    (_, s) => ({ sessions: [nextRow({ ...s, revision: s.revision + 1 })] }),
  ],
  'an epoch that is over': [['fenced'], (_, s) => ({ sessions: [nextRow({ ...s, epoch: s.epoch - 1 })] })],
  'a session that does not exist': [
    ['conflict'],
    async ({ stores }, s) => ({ sessions: [nextRow({ ...s, key: await stores.sessions.reserveKeys(1) })] }),
  ],
  'a session id that lives': [
    ['conflict'],
    async ({ seed }, s) => ({ created: [await seed({ sessionId: s.sessionId })] }),
  ],
  'a session key that is taken': [['conflict'], async ({ seed }, s) => ({ created: [await seed({ key: s.key })] })],
  'an entry that exists': [['conflict'], (_, s) => ({ rows: [insertEntry(entryOf(s, 0))] })],
  'a queue id that exists': [
    ['conflict'],
    (_, s) => ({ rows: [insertEntry(entryOf(s, 9, { queueId: entryOf(s, 0).queueId }))] }),
  ],
  'a run that exists': [['conflict'], (_, s) => ({ rows: [insertRun(runOf(s, 0))] })],
  'a message that exists': [['conflict'], (_, s) => ({ rows: [insertMessage(messageOf(s, 1))] })],
  'a part that exists': [['conflict'], (_, s) => ({ rows: [insertPart(openPartOf(messageOf(s, 1), 0))] })],
  'a chunk that exists': [
    ['conflict'],
    (_, s) => ({ rows: [insertChunk(chunkOf(openPartOf(messageOf(s, 1), 0), 0, 'x'))] }),
  ],
  'a log entry that exists': [['conflict'], (_, s) => ({ rows: [insertLog(logOf(s, 0))] })],
  'a permission that exists': [['conflict'], (_, s) => ({ rows: [insertPermission(permissionOf(s, 0))] })],
  'a permission id that exists': [
    ['conflict'],
    (_, s) => ({ rows: [insertPermission(permissionOf(s, 9, { permissionId: permissionOf(s, 0).permissionId }))] }),
  ],
  'a grant that exists': [['conflict'], (_, s) => ({ rows: [insertGrant(grantOf(s, 'old'))] })],
  'an execution that exists': [['conflict'], (_, s) => ({ rows: [insertExecution(executionOf(s, 0))] })],
  'an intent id that exists': [
    ['conflict'],
    (_, s) => ({ rows: [insertExecution(executionOf(s, 9, { intentId: executionOf(s, 0).intentId }))] }),
  ],
  'a request that exists': [['conflict'], (_, s) => ({ rows: [insertRequest(requestOf(s, 'old'))] })],
  'a change of an entry that does not exist': [absent, (_, s) => ({ rows: [updateEntry(entryOf(s, 9))] })],
  'a change of a run that does not exist': [absent, (_, s) => ({ rows: [updateRun(runOf(s, 9))] })],
  'a change of a message that does not exist': [absent, (_, s) => ({ rows: [updateMessage(messageOf(s, 9))] })],
  'a change of a part that does not exist': [
    absent,
    (_, s) => ({ rows: [updatePart(openPartOf(messageOf(s, 1), 9))] }),
  ],
  'a change of a permission that does not exist': [absent, (_, s) => ({ rows: [updatePermission(permissionOf(s, 9))] })],
  'a change of an execution that does not exist': [absent, (_, s) => ({ rows: [updateExecution(executionOf(s, 9))] })],
}

export const atomicitySuite = contractSuite('atomic commits', (test) => {
  test('C1: everything that a commit changes can be read once it is durable', async (world) => {
    const { stores } = world
    const session = await settled(world)
    const commit = await everything(world, session)
    const writeId = newWriteId()
    expect(await stores.unit.commit(writeId, [commit])).toEqual([{ firstSequence: 2, firstRevision: 2 }])
    const seen = await snapshotOf(stores, [session], ['old', 'new'])
    expect(seen.scope).toMatchObject([{ revision: 3, sequence: 3 }])
    expect(seen.sessions).toHaveLength(3)
    expect(await world.reload(session)).toEqual({
      ...commit.sessions[0]!.row,
      tree: { usage: usageOf(3), descendants: 1 },
    })
    expect(seen.events.events.map(({ timestamp }) => timestamp)).toEqual([NOW + 1, NOW + 2, NOW + 3])
    expect(seen.entries.flat().map(({ ordinal }) => ordinal)).toEqual([1, 0])
    expect(seen.runs.flat()).toEqual([
      runOf(session, 1),
      runOf(session, 0, { steps: 3, state: { kind: 'generating', aborting: null } }),
    ])
    expect(seen.messages.flat().map(({ updatedAt }) => updatedAt)).toEqual([NOW + 99, NOW])
    expect(seen.parts.map(({ body }) => body)).toEqual([
      { kind: 'text', text: 'new' },
      { kind: 'text', text: 'new' },
    ])
    expect(seen.log.flat()).toHaveLength(2)
    expect(seen.permissions).toEqual([
      permissionOf(session, 1),
      permissionOf(session, 0, { state: resolvedState(NOW + 99) }),
    ])
    expect(seen.pending).toEqual([permissionOf(session, 1)])
    expect(seen.grants).toEqual([grantOf(session, 'new'), grantOf(session, 'old')])
    expect(seen.executions).toEqual([executionOf(session, 1)])
    expect(seen.requests.map((request) => request?.clientRequestId)).toEqual(['old', 'new'])
  })

  for (const [what, [failures, breaker]] of Object.entries(breakers)) {
    test(`C1: ${what} fails the whole group, and nothing of it remains`, async (world) => {
      const { stores, change } = world
      const [session, victim] = [await settled(world), await settled(world)]
      const good = await everything(world, session)
      const bad = change({ events: [draftOf(victim, 5)], ...(await breaker(world, victim)) })
      const before = await snapshotOf(stores, [session, victim], ['old', 'new'])
      for (const group of [[good, bad], [bad, good], [bad]]) {
        const writeId = newWriteId()
        expect(failures).toContain(await failureOf(stores.unit.commit(writeId, group)))
        expect(await snapshotOf(stores, [session, victim], ['old', 'new'])).toEqual(before)
        expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
      }
      // The good one was not to blame.
      await stores.unit.commit(newWriteId(), [good])
      expect((await world.reload(session)).epoch).toBe(7)
    })
  }

  test('C1: two rows of a group that exclude each other fail it', async (world) => {
    const { stores, change, create } = world
    const session = await create()
    const member = () => change({ rows: [insertLog(logOf(session, 0))], events: [draftOf(session, 1)] })
    const before = await snapshotOf(stores, [session])
    expect(await failureOf(stores.unit.commit(newWriteId(), [member(), member()]))).toBe('conflict')
    expect(await snapshotOf(stores, [session])).toEqual(before)
  })

  test('C1: a failing member for one scope leaves nothing in another', async (world) => {
    const { stores, change, create } = world
    const session = await create()
    const elsewhere = await newScope(stores)
    const far = await create({ scopeKey: elsewhere.key })
    const group = [
      change({ scopeKey: elsewhere.key, sessions: [nextRow(far)], events: [draftOf(far, 1)] }),
      change({ sessions: [nextRow({ ...session, revision: 9 })] }),
    ]
    const before = await snapshotOf(stores, [far])
    expect(await failureOf(stores.unit.commit(newWriteId(), group))).toBe('conflict')
    expect(await snapshotOf(stores, [far])).toEqual(before)
  })
})
