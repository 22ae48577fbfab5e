import { randomUUID } from 'node:crypto'
import type {
  GenerationId,
  RunId,
  ScopeKey,
  SessionId,
  SessionKey,
  StorageKey,
  WriteId,
} from '../../../src/kernel/ids.ts'
import type { Scope } from '../../../src/domain/scope/scope.ts'
import { newSession, type SessionSeed } from '../../../src/domain/scope/new-session.ts'
import type { Session } from '../../../src/domain/session/session.ts'
import type { NewSession, SessionWrite } from '../../../src/domain/session/writes.ts'
import { type FailureClass, failureClassOf } from '../../../src/ports/stores/failure.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Commit, Committed } from '../../../src/ports/stores/unit-of-work.ts'

/** A time that no test takes for old. */
export const NOW = 1_700_000_000_000

/** A scope of a store's, for one test alone. */
export interface World {
  readonly stores: Stores
  readonly scope: Scope
  /** A commit of this scope that does no more than `wishes` say. */
  readonly change: (wishes: Partial<Commit>) => Commit
  /** Commits one change. */
  readonly commit: (wishes: Partial<Commit>) => Promise<Committed>
  /** A session that is not stored yet. */
  readonly seed: (wishes?: Wishes) => Promise<NewSession>
  /** A session that is stored. */
  readonly create: (wishes?: Wishes) => Promise<StoredSession>
  /** The session as it is stored now. */
  readonly reload: (session: Pick<Session, 'key'>) => Promise<StoredSession>
}

export interface Wishes extends Partial<Omit<SessionSeed, 'scopeKey'>> {
  readonly parent?: Session
  readonly agent?: string
  readonly scopeKey?: ScopeKey
  /** Fields of the row that a new session does not choose itself. */
  readonly row?: Partial<Omit<NewSession, 'place' | 'key' | 'scopeKey' | 'sessionId'>>
}

export const newWriteId = (): WriteId => randomUUID() as WriteId

export const newScope = (stores: Stores): Promise<Scope> => stores.scopes.ensure(randomUUID() as StorageKey, NOW)

export async function openWorld(stores: Stores): Promise<World> {
  const scope = await newScope(stores)
  const change = (wishes: Partial<Commit>): Commit => ({
    scopeKey: scope.key,
    created: [],
    sessions: [],
    rollUps: [],
    rows: [],
    events: [],
    ...wishes,
  })

  const commit = async (wishes: Partial<Commit>): Promise<Committed> => {
    const [committed] = await stores.unit.commit(newWriteId(), [change(wishes)])
    if (!committed) throw new Error('The store numbered nothing.')
    return committed
  }

  const reload = async ({ key }: Pick<Session, 'key'>): Promise<StoredSession> => {
    const [session] = await stores.sessions.findMany([key])
    if (!session) throw new Error(`There is no session ${key}.`)
    return session
  }

  const seed = async (wishes: Wishes = {}): Promise<NewSession> => {
    const key = wishes.key ?? (await stores.sessions.reserveKeys(1))
    return seedOf({ scopeKey: scope.key, ...wishes, key })
  }

  const create = async (wishes: Wishes = {}): Promise<StoredSession> => {
    const session = await seed(wishes)
    await commit({ scopeKey: session.scopeKey, created: [session] })
    return reload(session)
  }

  return { stores, scope, change, commit, seed, create, reload }
}

function seedOf({
  parent,
  agent = 'worker',
  row,
  ...wishes
}: Wishes & { key: SessionKey; scopeKey: ScopeKey }): NewSession {
  const seed: SessionSeed = {
    sessionId: randomUUID() as SessionId,
    generationId: randomUUID() as GenerationId,
    title: null,
    metadata: null,
    createdBy: 'somebody',
    at: NOW,
    ...wishes,
  }
  const origin = { parentRunId: randomUUID() as RunId, parentToolCallId: 'call-1' }
  const birth = parent && { parent, agent, origin }
  return { ...(birth ? newSession(seed, birth) : newSession(seed)), ...row }
}

/** The next row of a session, under the compare-and-set of the one that is there. */
export function nextRow(session: Session, fields: Partial<Session> = {}): SessionWrite {
  const { tree: _tree, ...row } = { tree: undefined, ...session }
  const { revision, epoch, title } = session
  return { row: { ...row, revision: revision + 1, ...fields }, expected: { revision, epoch, title } }
}

/** How the work failed; undefined when it did not. */
export async function failureOf(work: Promise<unknown>): Promise<FailureClass | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return failureClassOf(error)
  }
}
