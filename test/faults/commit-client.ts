import type { Session } from '../../src/domain/session/session.ts'
import { asRunId, messageIdOf, type WriteId } from '../../src/kernel/ids.ts'
import { failureClassOf, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit, UnitOfWork } from '../../src/ports/stores/unit-of-work.ts'
import { Committer, type CommitPolicy } from '../../src/runtime/committer.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { systemIds } from '../../src/runtime/system-ids.ts'
import { draftOf, insertLog, logOf } from '../contract/support/rows.ts'
import { nextRow, NOW } from '../contract/support/world.ts'
import type { Asked, Resolution } from './commit-history.ts'

/** What the clients of a test were told, all together. */
export interface Told {
  readonly asked: Asked[]
  readonly resolved: Resolution[]
}

export interface CommitClientOptions {
  readonly stores: Stores
  readonly told: Told
  readonly policy: Partial<CommitPolicy>
  /** What each change carries besides its marker. */
  readonly payload?: () => string
}

/** One process, as far as commits go: stores of its own and one committer over them. */
export class CommitClient {
  readonly stores: Stores
  readonly committer: Committer
  readonly #told: Told
  readonly #payload: () => string

  constructor({ stores, told, policy, payload = () => '' }: CommitClientOptions) {
    this.#payload = payload
    this.stores = stores
    this.#told = told
    const silent = () => undefined
    this.committer = new Committer({
      unit: watched(stores.unit, told.resolved),
      clock: systemClock,
      ids: systemIds,
      log: { info: silent, warn: silent, error: silent },
      onCommitted: silent,
      policy,
    })
  }

  /** Reads the session and changes it once, under its compare-and-set. Answers undefined if it could not be read. */
  async change({ key }: Pick<Session, 'key'>, marker: string): Promise<Asked | undefined> {
    const session = await this.#read(key)
    return session && this.submit(session, marker)
  }

  /** Changes a session that was read before. */
  async submit(session: Session, marker: string): Promise<Asked> {
    const { key, revision: expected, scopeKey } = session
    const asked: Asked = { marker, scopeKey, sessionKey: key, expected }
    this.#told.asked.push(asked)
    try {
      const outcome = await this.committer.submit(markedChange(session, marker, this.#payload()))
      asked.answer = outcome === 'unnumbered' ? outcome : outcome.firstSequence
    } catch (error) {
      asked.answer = failureClassOf(error)
    }
    return asked
  }

  async #read(key: Session['key']): Promise<Session | undefined> {
    try {
      const [session] = await this.stores.sessions.findMany([key])
      return session
    } catch (error) {
      if (error instanceof StoreFailure) return undefined
      throw error
    }
  }
}

/** A change of a session that can be found again in its log and in its event. */
function markedChange(session: Session, marker: string, payload: string): Commit {
  const runId = asRunId(marker)
  const body = { type: 'run.started', runId, messageId: messageIdOf(runId, 0) } as const
  const output = { marker, payload }
  return {
    scopeKey: session.scopeKey,
    created: [],
    sessions: [nextRow(session, { next: { ...session.next, log: session.revision + 1 } })],
    rollUps: [],
    rows: [insertLog(logOf(session, session.revision, { createdAt: NOW, body: { kind: 'step', output } }))],
    events: [draftOf(session, 0, body)],
  }
}

const markersOf = (group: readonly Commit[]): readonly string[] =>
  group.flatMap(({ events }) => events.map(({ body }) => ('runId' in body ? String(body.runId) : '')))

/** A unit of work as it is, that tells how what it left uncertain was resolved. */
function watched(unit: UnitOfWork, resolved: Resolution[]): UnitOfWork {
  const markers = new Map<WriteId, readonly string[]>()
  const since = new Map<WriteId, number>()
  return {
    commit(writeId, group) {
      markers.set(writeId, markersOf(group))
      return unit.commit(writeId, group)
    },
    async outcomeOf(writeId) {
      const began = since.get(writeId) ?? systemClock.monotonic()
      since.set(writeId, began)
      const outcome = await unit.outcomeOf(writeId)
      const ms = systemClock.monotonic() - began
      resolved.push({ writeId, outcome, markers: markers.get(writeId) ?? [], ms })
      return outcome
    },
    forget: (before, limit) => unit.forget(before, limit),
  }
}
