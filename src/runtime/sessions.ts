/**
 * The sessions that something is going on in, and what they owe the world.
 *
 * Owns the actors and, through `RunTasks` and `Admitter`, the runs and the line of those who want to run. After each
 * durable change of a session it does what the content asks for: start the run that was admitted, abort the run that was
 * asked to stop, or stand in line for the head of the queue. What a stopped process left is attended to in the same way.
 *
 * Invariants: an actor is here while its session is busy or a job of it is under way. A run whose end could not be made
 * durable is an orphan until it is.
 */
import { AbortReason } from '../kernel/abort.ts'
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import { fencedOff, interrupted, type RunOutcome } from '../domain/run/outcome.ts'
import { abortOf, type AbortRequest, type Run } from '../domain/run/run.ts'
import { type Fence, fenceOf } from '../domain/scope/lifecycle.ts'
import type { Content } from '../domain/session/content.ts'
import { StoreFailure } from '../ports/stores/failure.ts'
import type { DelegatedRunAdmission } from '../ports/delegated-run-admission.ts'
import { Admissions } from './admission/admissions.ts'
import { Admitter, type AdmitterDeps } from './admitter.ts'
import { activityChanged } from './activity-changed.ts'
import { busySessions } from './busy-sessions.ts'
import { cancellations } from './cancellations.ts'
import { Children, disowned } from './children.ts'
import type { Committers } from './committers.ts'
import type { Orphans } from './orphans.ts'
import { SessionKeys } from './session-keys.ts'
import { Desk } from './desk.ts'
import { LocalChildren } from './local-children.ts'
import { heardElsewhere } from './heard-elsewhere.ts'
import { recover } from './recovery.ts'
import type { RunDeps } from './run/execute-run.ts'
import { noPast, pastOf } from './run/past.ts'
import { RunStops } from './run-stops.ts'
import { RunTasks, type StartedRun } from './run-tasks.ts'
import { type Plan, SessionActor, type SessionChange } from './session-actor.ts'

export interface SessionsDeps extends Omit<RunDeps, 'desk' | 'children' | 'work' | 'meters'>, AdmitterDeps {
  readonly committers: Committers
  readonly orphans: Orphans
  /** Null when all delegated runs may begin. */
  readonly admission: DelegatedRunAdmission | null
}

const deleted = new AbortReason('deleted', 'The session was deleted.')
const stopping = new AbortReason('shutdown', 'The server is stopping.')
/** Milliseconds after their interruption for which the ends of runs are tried again. */
const FAREWELL_MS = 5_000

export class Sessions {
  readonly admitter: Admitter
  readonly keys: SessionKeys
  readonly #deps: SessionsDeps
  readonly #tasks: RunTasks
  readonly #actors = new Map<SessionKey, SessionActor>()
  readonly #desk = new Desk()
  readonly #children: Children
  readonly #stops: RunStops
  readonly #work: LocalChildren

  constructor(deps: SessionsDeps) {
    this.#deps = deps
    const desk = this.#desk
    this.#children = new Children({ ...deps, desk })
    const children = this.#children
    const admissions = new Admissions({ ...deps, closeDeadlineMs: deps.limits.abortDeadlineMs })
    this.admitter = new Admitter(deps, { actorOf: (key) => this.actor(key), children, admissions })
    this.keys = new SessionKeys(deps.stores.sessions)
    this.#stops = new RunStops({ ...deps, actorOf: (key) => this.actor(key), isExecuted: ({ runId }) => this.#tasks.has(runId) })
    this.#work = new LocalChildren({
      ...deps,
      keys: this.keys,
      admitter: this.admitter,
      stops: this.#stops,
      sessions: this,
      abortIn: (key, reason) => {
        this.#tasks.abortEach([key], reason)
        return this.#tasks.hasIn(key)
      },
    })
    this.#tasks = new RunTasks({ ...deps, desk, children, work: this.#work, onUnended: (run) => this.#adopt(run), onOver: (key) => this.#letGo(key) })
  }

  /** Sessions that are busy here. */
  get size(): number {
    return this.#actors.size
  }

  actor(key: SessionKey): SessionActor {
    const known = this.#actors.get(key)
    if (known) return known
    const { stores, committers } = this.#deps
    const actor = new SessionActor(key, {
      stores,
      submit: (commit) => committers.submit(commit),
      onChanged: (...change) => this.#attend(...change),
      onIdle: () => this.#letGo(key),
    })
    this.#actors.set(key, actor)
    return actor
  }

  /** Forgets an actor that has nothing to do, of a session of which nothing is under way here. */
  #letGo(key: SessionKey): void {
    if (this.#actors.get(key)?.isIdle && !this.isAttended(key)) this.#actors.delete(key)
  }

  /** Whether a run of the session is executed here, or a prompt of it stands in line here. */
  isAttended(key: SessionKey): boolean {
    return this.admitter.awaits(key) || this.#tasks.hasIn(key)
  }

  /** Whether a run of the session is executed here. */
  isExecuted(key: SessionKey): boolean {
    return this.#tasks.hasIn(key)
  }

  /**
   * The sessions whose runs are executed, or waited for, here, with the revision up to which every change of each is
   * known.
   */
  executed(): ReadonlyMap<SessionKey, number | undefined> {
    const keys = new Set([...this.#tasks.sessions(), ...this.#desk.childSessions()])
    return new Map([...keys].map((key) => [key, this.#actors.get(key)?.told]))
  }

  /** Looks what another process has changed of the session: an abort, an answer, or who executes its run. */
  async refresh(key: SessionKey): Promise<void> {
    const actor = this.actor(key)
    const content = await actor.load()
    if (!content) return this.discard([key])
    const { run } = content
    this.#tasks.lose(key, run)
    const abort = run && abortOf(run)
    if (run && abort) this.#tasks.abort(run.runId, new AbortReason(abort.kind, abort.message))
    await heardElsewhere(this.#deps.stores, this.#desk, key)
    actor.tellFrom(content.session.revision)
    this.admitter.attend(key, content)
  }

  /**
   * Goes on with the run that a stopped process left, or ends it, and goes on with the queue; not if the session has another
   * revision. Rejects as the stores do.
   */
  recover(key: SessionKey, revision?: number): Promise<void> {
    const { stores, clock, log, lives, recovery: policy, owner } = this.#deps
    const isOurs = (run: Run) => this.#tasks.has(run.runId)
    const around = { admitter: this.admitter, children: this.#children, stops: this.#stops }
    return recover({ stores, clock, log, lives, ...around, policy, owner, isOurs }, this.actor(key), revision)
  }

  /**
   * Ends the run that nobody executes any more, and goes on with the queue. What another process executes it leaves alone.
   * Throws a `StoreFailure` when the store fails: then nothing changed.
   */
  end(key: SessionKey, outcome: RunOutcome): Promise<void> {
    const { stores, owner } = this.#deps
    return this.#conclude(key, outcome, (run) => stores.instances === null || run.owner === owner)
  }

  /** Looks for a prompt of the session that can run, now or as soon as the store answers. */
  async consider(key: SessionKey): Promise<void> {
    await this.admitter.consider(key)
  }

  /**
   * Cancels what waits in the session, and asks its run to stop or, if nobody executes it, ends it. Throws a `StoreFailure`
   * when the store fails: then nothing changed.
   */
  async cancelAll(key: SessionKey, request: AbortRequest): Promise<void> {
    this.admitter.dismiss(key)
    const change = await this.actor(key).transact(async (content): Promise<Plan<Content>> => {
      const commands = [...cancellations(content, request), ...(content.run ? [await this.#stops.stop(content, content.run, request)] : [])]
      const [first, ...rest] = commands
      return first ? { kind: 'change', commands: [first, ...rest] } : { kind: 'answer', value: content }
    })
    if (change.kind === 'contended') throw new StoreFailure('conflict', 'The session changed too often.')
    if (change.kind === 'changed') for (const { queueId } of change.before.entries) this.admitter.claims.forget(queueId)
  }

  /** The sessions of the scope in which prompts wait or run. Exact while nothing goes on in the scope. */
  busy(scopeKey: ScopeKey): Promise<readonly SessionKey[]> {
    return busySessions(this.#deps.stores.sessions, scopeKey)
  }

  /** Stops the runs of a scope that is fenced. They end as soon as the store can take that. */
  stopFenced(scopeKey: ScopeKey, fence: Fence): void {
    this.#tasks.abortAll(new AbortReason('fenced', fencedRun(fence)), scopeKey)
  }

  /** Resolves when no run of the scope, or none at all, is executed any more. */
  drained(scopeKey?: ScopeKey): Promise<void> {
    return this.#tasks.drained(scopeKey)
  }

  /**
   * Stops what goes on here in sessions that are gone, in their order. Who waits for a prompt of one hears of it, at once or
   * when it has stopped.
   */
  discard(keys: readonly SessionKey[]): void {
    this.admitter.abandon(new Set(keys))
    this.#tasks.abortEach(keys, deleted)
    for (const key of keys) if (!this.#tasks.hasIn(key)) this.#desk.sessionGone(key)
  }

  /** Resolves when nothing of these sessions is executed here any more. */
  drainedIn(keys: readonly SessionKey[]): Promise<void> {
    return this.#tasks.drainedIn(new Set(keys))
  }

  /** Forgets what is cached of the scope's sessions: the next change of each loads it. */
  dropIn(scopeKey: ScopeKey): void {
    for (const actor of this.#actors.values()) actor.dropIn(scopeKey)
  }

  /**
   * Interrupts all runs. Those whose end cannot be made durable within a few seconds become orphans, unless the result is
   * called before.
   */
  interrupt(): () => void {
    this.#tasks.end(stopping)
    return this.#deps.clock.after(FAREWELL_MS, () => this.#tasks.losePatience())
  }

  /** Interrupts the runs in which everything waits for people, if they will be resumed. */
  interruptWaiting(): void {
    if (this.#deps.recovery === 'RESUME') this.#tasks.abortWaiting(stopping)
  }

  /** Ends the live run of the session, if it is one that is meant. */
  async #conclude(key: SessionKey, outcome: RunOutcome, isMeant: (run: Run) => boolean): Promise<void> {
    const actor = this.actor(key)
    const change = await actor.transact(async (content): Promise<Plan<Content>> => {
      const { run } = content
      if (!run || !isMeant(run)) return { kind: 'answer', value: content }
      return { kind: 'change', commands: [await this.#stops.end(content, run, outcome)] }
    })
    if (change.kind === 'contended') throw new StoreFailure('conflict', 'The session changed too often.')
    if (change.kind === 'answered') this.admitter.attend(key, change.value)
  }

  #adopt({ run, session: { scopeKey, key } }: StartedRun): void {
    const fence = this.#fenceOver(scopeKey)
    const outcome = fence ? fencedOff(fencedRun(fence)) : interrupted
    // Another process may have taken the run over meanwhile.
    const release = () => this.#conclude(key, outcome, ({ runId, epoch }) => runId === run.runId && epoch === run.epoch)
    this.#deps.orphans.add({ scopeKey, sessionKey: key, what: `the run ${run.runId}, whose end is not stored`, release })
  }

  #attend(actor: SessionActor, { before, after, events }: SessionChange): void {
    for (const event of events) {
      if (event.type === 'permissionResolved') this.#desk.answered(event.permission.permissionId, event.event.resolution)
      if (event.type === 'executionReconciled') this.#desk.reconciled(event.execution.intentId)
      if (event.type === 'entryChanged' && event.event.type === 'finished') this.#desk.childEnded(event.entry.queueId)
    }
    this.#work.attend(after.session.scopeKey, events)
    const activity = activityChanged(before, after)
    if (activity) this.#deps.transport.publish(activity)
    const { run } = after
    if (run) this.#attendRun(actor, after, run)
    this.admitter.attend(actor.key, after)
  }

  #attendRun(actor: SessionActor, { session, open, entries }: Content, run: Run): void {
    // What was prepared for a run is for the change that makes the run ours.
    const admission = run.owner === this.#deps.owner ? this.admitter.take(run.runId) : undefined
    const delegation = entries.find(({ queueId }) => queueId === run.queueId)?.delegation ?? null
    if (admission) {
      const { left, ...admitted } = admission
      const past = left ? pastOf(left.parts, open, run.superseded) : noPast
      const delegatedTokens = left?.delegatedTokens ?? 0
      actor.tellFrom(session.revision)
      this.#tasks.start({ ...admitted, run, session, delegation, actor, past, delegatedTokens })
      this.#stopIfFenced(run, session.scopeKey)
      if (delegation && !this.#children.isAwaited(run)) {
        this.#tasks.abort(run.runId, new AbortReason('parent', disowned('nobody waits for it any more')))
      }
    }
    const abort = abortOf(run)
    if (abort) this.#tasks.abort(run.runId, new AbortReason(abort.kind, abort.message))
  }

  /** What was under way when the scope was fenced may yet have been admitted. */
  #stopIfFenced({ runId }: Run, scopeKey: ScopeKey): void {
    const fence = this.#fenceOver(scopeKey)
    if (fence) this.#tasks.abort(runId, new AbortReason('fenced', fencedRun(fence)))
  }

  #fenceOver(scopeKey: ScopeKey): Fence | null {
    const life = this.#deps.lives.find(scopeKey)
    return life ? fenceOf(life.state) : null
  }
}

/** What the runs of a fenced scope end with. */
export const fencedRun = ({ reason }: Fence): string => `The scope was fenced before this run completed. ${reason}`
