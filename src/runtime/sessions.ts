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
import { interrupted } from '../domain/run/outcome.ts'
import { abortOf, type Run } from '../domain/run/run.ts'
import type { Content } from '../domain/session/content.ts'
import { activityOf } from '../domain/session/session.ts'
import { Admitter, type AdmitterDeps } from './admitter.ts'
import type { Committers } from './committers.ts'
import { SessionKeys } from './session-keys.ts'
import { sessionRefOf } from './session-ref.ts'
import type { RunDeps } from './run/execute-run.ts'
import { RunTasks } from './run-tasks.ts'
import { type Plan, SessionActor } from './session-actor.ts'

export interface SessionsDeps extends RunDeps, AdmitterDeps {
  readonly committers: Committers
}

export class Sessions {
  readonly admitter: Admitter
  readonly keys: SessionKeys
  readonly #deps: SessionsDeps
  readonly #tasks: RunTasks
  readonly #actors = new Map<SessionKey, SessionActor>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
    this.#tasks = new RunTasks(deps)
    this.admitter = new Admitter(deps, (key) => this.actor(key))
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

  /** Ends the run that a stopped process left, and goes on with the queue. A run of this process is none of these. */
  async recover(key: SessionKey): Promise<void> {
    const actor = this.actor(key)
    const change = await actor.transact(async (content): Promise<Plan<Content>> => {
      const { run } = content
      if (!run || this.#tasks.has(run.runId)) return { kind: 'answer', value: content }
      const texts = await this.#durableTexts(run)
      const ref = { runId: run.runId, epoch: run.epoch }
      const at = this.#deps.clock.now()
      return { kind: 'change', commands: [{ type: 'conclude', run: ref, outcome: interrupted, texts, at }] }
    })
    if (change.kind === 'answered') this.admitter.attend(key, change.value)
  }

  /** Admits nothing more, gives runs `graceMs` to end, then interrupts them. Resolves when none is left. */
  async close(graceMs: number): Promise<void> {
    this.admitter.close()
    const interrupt = () => this.#tasks.abortAll(new AbortReason('shutdown', 'The server is stopping.'))
    const cancel = this.#deps.clock.after(graceMs, interrupt)
    await this.#tasks.drained()
    cancel()
  }

  #attend(actor: SessionActor, before: Content, after: Content): void {
    this.#announceActivity(before, after)
    const { run } = after
    if (run) this.#attendRun(actor, after, run)
    this.admitter.attend(actor.key, after)
  }

  #attendRun(actor: SessionActor, { session }: Content, run: Run): void {
    const admission = this.admitter.take(run.runId)
    if (admission) {
      const { prompt, context, slot } = admission
      this.#tasks.start({ run, session, prompt, context, actor }, slot)
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

  async #durableTexts(run: Run): Promise<ReadonlyMap<number, string>> {
    const message = { sessionKey: run.sessionKey, index: run.assistantMessageIndex }
    const parts = await this.#deps.stores.messages.parts([message])
    return new Map(parts.map(({ partIndex, body }) => [partIndex, body.kind === 'attachment' ? '' : body.text]))
  }
}
