/**
 * Knows everything that must hold of what is stored, and looks after each commit.
 *
 * Owns what it has to remember for that: the chain of revisions of each session, the events of each as a client would
 * fold them, and what had finished. It reads the stores themselves, not as some process sees them. The first law that
 * does not hold is thrown, and thrown again by whatever is asked afterwards.
 */
import type { QueueId, ScopeKey, SessionId, SessionKey, WriteId } from '../../src/kernel/ids.ts'
import { type HarnessEvent, SCOPE_ITSELF } from '../../src/domain/event/event.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import { failureClassOf } from '../../src/ports/stores/failure.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit, Committed } from '../../src/ports/stores/unit-of-work.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import { Attempts } from './attempts.ts'
import type { Author } from './author.ts'
import { EventFold } from './event-fold.ts'
import type { History } from './history.ts'
import { Chains } from './laws/chain-laws.ts'
import { ChangeLaws } from './laws/change-laws.ts'
import { GrantLaws } from './laws/grant-laws.ts'
import { expectHistory } from './laws/history-laws.ts'
import { LeaseLaws } from './laws/lease-laws.ts'
import { Outside } from './laws/outside-laws.ts'
import { expectPeople } from './laws/people-laws.ts'
import { RunLaws } from './laws/run-laws.ts'
import { expectConsistent, expectFirst } from './laws/session-laws.ts'
import { expectIdle, expectIdleOrWaiting } from './laws/settled-laws.ts'
import { same } from './law-broken.ts'
import { readSession, type SessionState } from './session-state.ts'
import type { Transcript } from './transcript.ts'

/** A commit that was tried. */
export interface Trial {
  readonly author: Author
  readonly writeId: WriteId
  readonly group: readonly Commit[]
}

export interface CheckerDeps {
  readonly stores: Stores
  readonly clock: Clock
  readonly transcript: Transcript
  readonly recovery: RecoveryPolicy
}

export class Checker {
  readonly attempts: Attempts
  readonly leases: LeaseLaws
  readonly outside: Outside
  readonly #stores: Stores
  readonly #chains = new Chains()
  readonly #runs: RunLaws
  readonly #changes: ChangeLaws
  readonly #folds = new Map<SessionKey, EventFold>()
  readonly #heads = new Map<ScopeKey, number>()
  readonly #states = new Map<SessionId, SessionState>()
  readonly #texts = new Map<QueueId, string>()
  #broken: { readonly error: unknown } | undefined

  constructor({ stores, clock, transcript, recovery }: CheckerDeps) {
    this.#stores = stores
    this.attempts = new Attempts(clock)
    this.leases = new LeaseLaws(clock)
    const look = (check: () => void) => void this.look(check).catch(() => undefined)
    this.outside = new Outside({ states: this.#states, look })
    const { attempts, outside } = this
    this.#runs = new RunLaws({ transcript, attempts, recovery })
    this.#changes = new ChangeLaws({ outside, attempts, grants: new GrantLaws(clock), leases: stores.instances && this.leases })
  }

  /** True once a law was broken. */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** What is stored of each session, as of its last commit. */
  get states(): ReadonlyMap<SessionId, SessionState> {
    return this.#states
  }

  /** To be called after a commit that the store took, before the next one. */
  committed(trial: Trial, committed: readonly Committed[]): Promise<void> {
    return this.#remembering(async () => {
      const { author, writeId, group } = trial
      this.#chains.committed(writeId, group)
      for (const [index, commit] of group.entries()) await this.#expectNumbered(commit, committed[index])
      for (const commit of group) await this.#expectWritten(author, commit)
    })
  }

  /** To be called after a commit that the store did not take, before the next one. */
  failed({ group }: Trial, error: unknown): Promise<void> {
    return this.#remembering(async () => {
      this.#chains.failed(group, failureClassOf(error))
      for (const { scopeKey } of group) {
        const { head } = await this.#stores.events.bounds(scopeKey)
        same(head, this.#heads.get(scopeKey) ?? 0, 'C1: a commit that fails leaves no event')
      }
    })
  }

  resolved(writeId: WriteId, outcome: 'committed' | 'absent'): Promise<void> {
    return this.#remembering(async () => this.#chains.resolved(writeId, outcome))
  }

  /** Compares everything that is stored with everything that was asked for. */
  expectHistory(history: History): Promise<void> {
    return this.#remembering(async () => this.#expectHistory(history))
  }

  /** For a moment in which nothing goes on any more, unless it waits for people and they have not answered yet. */
  expectSettled(history: History, people: 'have answered' | 'may be asked'): Promise<void> {
    return this.#remembering(async () => {
      this.#expectHistory(history)
      for (const { session } of this.#states.values()) {
        const state = await readSession(this.#stores, session.key)
        same(state, this.#states.get(session.sessionId), 'C2: nothing changes without a commit')
        if (people === 'have answered') expectIdle(state)
        else expectIdleOrWaiting(state)
        await this.#expectRequests(state)
      }
      await this.#expectInboxes()
    })
  }

  /** Takes note of a law that is looked at elsewhere. */
  look(check: () => void): Promise<void> {
    return this.#remembering(async () => check())
  }

  #expectHistory(history: History): void {
    expectHistory(history, { sessions: this.#states, texts: this.#texts })
    expectPeople(history, this.#states)
  }

  /** People are shown what waits, and nothing else. */
  async #expectInboxes(): Promise<void> {
    for (const scopeKey of this.#heads.keys()) {
      const states = [...this.#states.values()].filter(({ session }) => session.scopeKey === scopeKey)
      const asked = states.flatMap(({ permissions }) => permissions.filter(({ state }) => state.kind === 'pending'))
      const shown = await this.#stores.permissions.inbox(scopeKey, undefined, asked.length + 1)
      same(idsOf(shown), idsOf(asked), 'A73: an inbox shows the requests that wait')
    }
  }

  async #remembering(check: () => Promise<void>): Promise<void> {
    try {
      if (this.#broken) throw this.#broken.error
      await check()
    } catch (error) {
      this.#broken ??= { error }
      throw error
    }
  }

  /** The events of a commit are in the log, in their order, and nothing else is new there. */
  async #expectNumbered({ scopeKey, events }: Commit, committed: Committed | undefined): Promise<void> {
    const before = this.#heads.get(scopeKey) ?? 0
    const query = { scopeKey, filter: {}, after: before, limit: events.length + 1 }
    const told = (await this.#stores.events.read(query)).events.slice(0, events.length)
    same(told.map(({ sequence }) => sequence), events.map((_, index) => before + 1 + index), 'C5: events are numbered without gaps')
    same(told.map(({ sessionKey, timestamp, body }) => ({ sessionKey, timestamp, body })), events, 'C1: a commit tells its events')
    same(committed?.firstSequence, before + 1, 'C5: the store says how it numbered')
    this.#heads.set(scopeKey, before + events.length)
    for (const event of told) if (event.sessionKey !== SCOPE_ITSELF) this.#fold(event)
  }

  #fold(event: HarnessEvent): void {
    const fold = this.#folds.get(event.sessionKey) ?? new EventFold()
    this.#folds.set(event.sessionKey, fold)
    fold.apply(event)
  }

  async #expectWritten(author: Author, { scopeKey, sessions, created, rows }: Commit): Promise<void> {
    const { head } = await this.#stores.events.bounds(scopeKey)
    same(head, this.#heads.get(scopeKey), 'C1: no event is stored without its commit')
    for (const key of [...created, ...sessions.map(({ row }) => row)].map((session) => session.key)) {
      const state = await readSession(this.#stores, key)
      await this.#learnTexts(state)
      const before = this.#states.get(state.session.sessionId)
      this.#states.set(state.session.sessionId, state)
      for (const run of state.runs) this.attempts.note(run)
      expectConsistent(state)
      this.#changes.expect(author, before, state)
      same(state.session.tree.usage, state.session.usage, 'R9: without descendants the totals are those of the session')
      this.#folds.get(key)?.expectTold(state)
      this.#runs.expect(author, state)
    }
    const admitted = rows.filter((write) => write.table === 'run' && write.op === 'insert').map(({ row }) => row)
    for (const run of admitted) if ('queueId' in run) this.#expectFirst(run)
  }

  #expectFirst({ sessionKey, queueId }: { readonly sessionKey: SessionKey; readonly queueId: QueueId }): void {
    const state = [...this.#states.values()].find(({ session }) => session.key === sessionKey)
    expectFirst(state?.entries ?? [], queueId)
  }

  async #learnTexts({ session, entries }: SessionState): Promise<void> {
    for (const { queueId, ordinal } of entries) {
      if (this.#texts.has(queueId)) continue
      const prompt = await this.#stores.queue.prompt(session.key, ordinal)
      this.#texts.set(queueId, prompt?.text ?? 'nothing')
    }
  }

  async #expectRequests({ session, entries }: SessionState): Promise<void> {
    const { scopeKey, key } = session
    for (const { clientRequestId, queueId } of entries) {
      if (clientRequestId === null) continue
      const request = await this.#stores.requests.find(scopeKey, key, clientRequestId)
      same(request?.result, queueId, 'Q42: a request is remembered with the entry that it made')
    }
  }
}

const idsOf = (permissions: readonly Permission[]): readonly string[] => permissions.map(({ permissionId }) => permissionId).toSorted()
