/**
 * The sessions that something is going on in, and what they owe the world.
 *
 * Owns the actors and, through `RunTasks` and `Admitter`, the runs and the line of those who want to run. After each
 * durable change of a session it does what the content asks for: start the run that was admitted, abort the run that was
 * asked to stop, or stand in line for the head of the queue. What a stopped process left is attended to in the same way.
 *
 * Invariant: an actor is here while its session is busy or a job of it is under way.
 */
import { AbortReason } from '../kernel/abort.ts'
import type { SessionKey } from '../kernel/ids.ts'
import { abortOf, type Run } from '../domain/run/run.ts'
import type { Content } from '../domain/session/content.ts'
import { activityOf } from '../domain/session/session.ts'
import { Admitter, type AdmitterDeps } from './admitter.ts'
import type { Committers } from './committers.ts'
import { SessionKeys } from './session-keys.ts'
import { Desk } from './desk.ts'
import { recover } from './recovery.ts'
import { sessionRefOf } from './session-ref.ts'
import type { RunDeps } from './run/execute-run.ts'
import { noPast, pastOf } from './run/past.ts'
import { RunTasks } from './run-tasks.ts'
import { SessionActor, type SessionChange } from './session-actor.ts'

export interface SessionsDeps extends Omit<RunDeps, 'desk' | 'stores' | 'keep'>, AdmitterDeps {
  readonly committers: Committers
}

const stopping = new AbortReason('shutdown', 'The server is stopping.')

export class Sessions {
  readonly admitter: Admitter
  readonly keys: SessionKeys
  readonly #deps: SessionsDeps
  readonly #tasks: RunTasks
  readonly #actors = new Map<SessionKey, SessionActor>()
  readonly #desk = new Desk()
  readonly #unreleased = new Set<() => Promise<void>>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
    const keep = (release: () => Promise<void>) => void this.#unreleased.add(release)
    this.#tasks = new RunTasks({ ...deps, desk: this.#desk, keep })
    this.admitter = new Admitter(deps)
    this.keys = new SessionKeys(deps.stores.sessions)
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
      onIdle: (idle, content) => {
        if (!content || content.session.work.kind === 'idle') this.#actors.delete(idle.key)
      },
    })
    this.#actors.set(key, actor)
    return actor
  }

  /** Goes on with the run that a stopped process left, or ends it, and goes on with the queue. */
  recover(key: SessionKey): Promise<void> {
    const { stores, clock, recovery: policy, owner } = this.#deps
    return recover({ stores, clock, admitter: this.admitter, policy, owner }, this.actor(key))
  }

  /** Admits nothing more, gives runs `graceMs` to end, then interrupts them. Resolves when none is left. */
  async close(graceMs: number): Promise<void> {
    this.admitter.close()
    if (this.#deps.recovery === 'RESUME') this.#tasks.abortWaiting(stopping)
    const interrupt = () => this.#tasks.abortAll(stopping)
    const cancel = this.#deps.clock.after(graceMs, interrupt)
    await this.#tasks.drained()
    cancel()
    await this.#releaseAll()
  }

  /** Tries what could not be released before. What fails again is kept for the next time. */
  async #releaseAll(): Promise<void> {
    const failures: unknown[] = []
    for (const release of this.#unreleased) {
      await release().then(
        () => this.#unreleased.delete(release),
        (error: unknown) => failures.push(error),
      )
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} resources could not be released.`)
  }

  #attend(actor: SessionActor, { before, after, events }: SessionChange): void {
    for (const event of events) {
      if (event.type === 'permissionResolved') this.#desk.answer(event.permission.permissionId, event.event.resolution)
      if (event.type === 'executionReconciled') this.#desk.answer(event.execution.intentId)
    }
    this.#announceActivity(before, after)
    const { run } = after
    if (run) this.#attendRun(actor, after, run)
    this.admitter.attend(actor, after)
  }

  #attendRun(actor: SessionActor, { session, open }: Content, run: Run): void {
    const admission = this.admitter.take(run.runId)
    if (admission) {
      const { prompt, context, slot, parts } = admission
      const past = parts ? pastOf(parts, open) : noPast
      this.#tasks.start({ run, session, prompt, context, actor, slot, past })
    }
    const abort = abortOf(run)
    if (abort) this.#tasks.abort(run.runId, new AbortReason(abort.kind, abort.message))
  }

  #announceActivity(before: Content, { session }: Content): void {
    if (before.session.work === session.work) return
    const { work } = session
    const runId = work.kind === 'running' ? work.runId : null
    const activity = { session: sessionRefOf(session), kind: activityOf(session), runId, since: work.since }
    this.#deps.transport.publish({ type: 'activity', activity })
  }
}
