import { asSessionId, asWriteId, type RunId, type SessionId } from '../../src/kernel/ids.ts'
import { lossOf, reservationOf } from '../../src/domain/deletion/group.ts'
import { announceCreation } from '../../src/domain/scope/announce-creation.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import { noUsage } from '../../src/domain/run/usage.ts'
import { prefixesOf, type Session } from '../../src/domain/session/session.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import { readSubtree } from '../../src/runtime/deletion/read-structure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

interface Birth {
  readonly sessionId: string
  readonly generationId?: string
  readonly title?: string
  /** Null for one that clients may prompt. */
  readonly agent?: string | null
}

/** The commit that creates a child: it changes the content of the parent, and tells everybody above. */
async function birthCommit(stores: Stores, parent: StoredSession, birth: Birth): Promise<Commit> {
  const { tree: _tree, ...session } = parent
  const { revision, epoch, title, place, scopeKey } = session
  const born = newSession(
    {
      key: await stores.sessions.reserveKeys(1),
      scopeKey,
      sessionId: asSessionId(birth.sessionId),
      generationId: (birth.generationId ?? `generation of ${birth.sessionId}`) as Session['generation']['generationId'],
      title: birth.title ?? 'Subagent: worker',
      metadata: null,
      createdBy: 'tester',
      at: session.updatedAt,
    },
    { parent, agent: 'worker', origin: { parentRunId: 'run' as RunId, parentToolCallId: 'call' } },
  )
  const { agent = 'worker' } = birth
  const child = { ...born, place: { ...born.place, agent } }
  return {
    scopeKey,
    created: [child],
    sessions: [{ row: { ...session, revision: revision + 1 }, expected: { revision, epoch, title } }],
    rollUps: [{ scopeKey, paths: prefixesOf(place.path), usage: noUsage, descendants: 1 }],
    rows: [],
    events: [announceCreation(child)],
  }
}

let births = 0

/** Creates a child of a session that is stored. Rejects as the store does. */
export async function bear(stores: Stores, parent: StoredSession, birth: Birth): Promise<StoredSession> {
  const commit = await birthCommit(stores, await stored(stores, parent), birth)
  await stores.unit.commit(asWriteId(`birth ${++births} of ${birth.sessionId}`), [commit])
  const child = await stores.sessions.find(parent.scopeKey, asSessionId(birth.sessionId))
  if (!child) throw new Error(`The child ${birth.sessionId} was not stored.`)
  return child
}

async function stored(stores: Stores, { key, sessionId }: StoredSession): Promise<StoredSession> {
  const [session] = await stores.sessions.findMany([key])
  if (!session) throw new Error(`There is no session ${sessionId}.`)
  return session
}

/** Reserves a session with all below it, as the first step of its deletion does, and no more. */
export async function bury(stores: Stores, session: StoredSession, by = 'tester'): Promise<void> {
  const { scopeKey, key } = session
  const subtree = await readSubtree(stores.structure, scopeKey, key)
  if (!subtree) throw new Error(`There is no session ${session.sessionId}.`)
  const structure = reservationOf(subtree, { at: session.updatedAt, by })
  const rollUps = [lossOf(scopeKey, subtree)]
  const commit = { scopeKey, created: [], sessions: [], rollUps, rows: [], structure, events: [] }
  await stores.unit.commit(asWriteId(`burial of ${key}`), [commit])
}

/** What a test grows below a session: ids of children, and what is below each. */
export interface Tree {
  readonly [sessionId: string]: Tree
}

/** Creates a tree below a session, parents first. */
export async function grow(stores: Stores, parent: StoredSession, tree: Tree): Promise<void> {
  for (const [sessionId, below] of Object.entries(tree)) await grow(stores, await bear(stores, parent, { sessionId }), below)
}

/** The same of children that clients may prompt. */
export async function growOpen(stores: Stores, parent: StoredSession, tree: Tree): Promise<void> {
  for (const [sessionId, below] of Object.entries(tree)) {
    await growOpen(stores, await bear(stores, parent, { sessionId, agent: null }), below)
  }
}

export const ids = (...sessionIds: readonly string[]): readonly SessionId[] => sessionIds.map(asSessionId)
