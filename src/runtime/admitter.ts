/**
 * Gets the heads of queues to run.
 *
 * Owns the slots, the line of sessions that want one, the admissions under way and the contexts of waiting prompts.
 * Invariants: a session with a waiting prompt and without a run stands in line, is being admitted, or waits to try again;
 * a slot is held by an admission under way or by a run, and by nothing else. A session leaves the line before an
 * admission loads it anew, so a change that the admission does not see puts the session in line again.
 */
import { Fault } from '../kernel/fault.ts'
import { asRunId, type QueueId, type RunId, type SessionKey } from '../kernel/ids.ts'
import type { Entry } from '../domain/prompt/entry.ts'
import type { Prompt } from '../domain/prompt/prompt.ts'
import type { ErrorView } from '../domain/run/outcome.ts'
import type { Limits } from '../domain/limits.ts'
import type { Content } from '../domain/session/content.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Log } from '../ports/telemetry.ts'
import { type ErrorProjector, projectError } from './run/project-error.ts'
import type { Scopes } from './scopes.ts'
import type { Change, SessionActor } from './session-actor.ts'
import { type Slot, Slots } from './slots.ts'

export interface AdmitterDeps {
  readonly stores: Stores
  readonly scopes: Scopes
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly limits: Limits
  readonly errorProjector?: ErrorProjector
}

/** What an admission brings to the run that it starts. */
export interface Admission {
  readonly prompt: Prompt
  readonly context: unknown
  readonly slot: Slot
}

const RETRY_MS = 500

export class Admitter {
  readonly #deps: AdmitterDeps
  readonly #actorOf: (key: SessionKey) => SessionActor
  readonly #slots: Slots
  readonly #line = new Map<SessionKey, () => void>()
  readonly #admissions = new Map<RunId, Admission>()
  readonly #contexts = new Map<QueueId, unknown>()
  #isClosed = false

  /** `actorOf` gives the actor that the session has now: one that has been let go knows nothing of later changes. */
  constructor(deps: AdmitterDeps, actorOf: (key: SessionKey) => SessionActor) {
    this.#deps = deps
    this.#actorOf = actorOf
    this.#slots = new Slots(deps.limits.maxConcurrentRuns)
  }

  /** Prepares to admit a prompt in the commit that enqueues it; undefined when no slot is free. */
  prepare(prompt: Prompt, context: unknown): RunId | undefined {
    const slot = this.#slots.tryTake()
    return slot && this.#expect({ prompt, context, slot })
  }

  /** The admission of a run that has just become durable. Whoever takes it releases the slot. */
  take(runId: RunId): Admission | undefined {
    const admission = this.#admissions.get(runId)
    this.#admissions.delete(runId)
    return admission
  }

  /** Gives up an admission, unless it was taken. */
  withdraw(runId: RunId): void {
    this.take(runId)?.slot.release()
  }

  /** Keeps what the application's resolver gave for a prompt until it runs. */
  keepContext(queueId: QueueId, context: unknown): void {
    this.#contexts.set(queueId, context)
  }

  /** Forgets what it keeps of a prompt that will not run. */
  forget(queueId: QueueId): void {
    this.#contexts.delete(queueId)
  }

  /** Puts the session in line if a prompt of it can run. */
  attend(key: SessionKey, { run, entries }: Content): void {
    if (this.#isClosed || run || entries.length === 0 || this.#line.has(key)) return
    // The place in line is taken before the slot may be granted at once.
    this.#line.set(key, () => undefined)
    const leave = this.#slots.wait((slot) => void this.#admit(key, slot))
    if (this.#line.has(key)) this.#line.set(key, leave)
  }

  /** Admits nothing more. */
  close(): void {
    this.#isClosed = true
    this.#slots.close()
    for (const leave of this.#line.values()) leave()
    this.#line.clear()
  }

  async #admit(key: SessionKey, slot: Slot): Promise<void> {
    this.#line.delete(key)
    const runId = asRunId(this.#deps.ids.uuid())
    try {
      const content = await this.#attempt(key, runId, slot)
      if (content?.run?.runId !== runId) slot.release()
      if (content) this.attend(key, content)
    } catch (error) {
      slot.release()
      this.#deps.log.error({ err: error }, 'a prompt could not be admitted: trying again')
      this.#tryAgain(key)
    } finally {
      this.#admissions.delete(runId)
    }
  }

  /** Admits the head of the queue, or fails it when its scope is refused. The content afterwards. */
  async #attempt(key: SessionKey, runId: RunId, slot: Slot): Promise<Content | undefined> {
    const actor = this.#actorOf(key)
    const content = await actor.load()
    const head = content?.entries.find(({ state }) => state.kind === 'queued')
    if (!content || !head || content.run || this.#isClosed) return content
    const { queueId } = head
    const resolved = await this.#contextOf(head)
    const at = this.#deps.clock.now()
    if (!resolved.ok) return contentOf(await actor.ask({ type: 'reject', queueId, error: resolved.error, at }))
    const prompt = await this.#deps.stores.queue.prompt(content.session.key, head.ordinal)
    if (!prompt) throw new Fault('store', `The prompt of the entry ${queueId} is missing.`)
    this.#admissions.set(runId, { prompt, context: resolved.context, slot })
    const after = contentOf(await actor.ask({ type: 'admit', queueId, prompt, runId, at }))
    if (after?.run?.runId === runId) this.#contexts.delete(queueId)
    return after
  }

  /** The context kept since the prompt was enqueued; after a restart the one that its scope id stands for now. */
  async #contextOf({ queueId, scopeId }: Entry): Promise<{ ok: true; context: unknown } | { ok: false; error: ErrorView }> {
    if (this.#contexts.has(queueId)) return { ok: true, context: this.#contexts.get(queueId) }
    const { scopes, errorProjector } = this.#deps
    try {
      const resolved = await scopes.resolve(scopeId, null)
      if (resolved) return { ok: true, context: resolved.context }
      return { ok: false, error: projectError(undefined, 'scopeResolver') }
    } catch (error) {
      this.#deps.log.error({ err: error, queueId }, 'the scope of a prompt could not be resolved')
      return { ok: false, error: projectError(error, 'scopeResolver', errorProjector) }
    }
  }

  #tryAgain(key: SessionKey): void {
    if (this.#isClosed || this.#line.has(key)) return
    this.#line.set(key, this.#deps.clock.after(RETRY_MS, () => void this.#reconsider(key)))
  }

  async #reconsider(key: SessionKey): Promise<void> {
    this.#line.delete(key)
    try {
      const content = await this.#actorOf(key).load()
      if (content) this.attend(key, content)
    } catch {
      this.#tryAgain(key)
    }
  }

  #expect(admission: Admission): RunId {
    const runId = asRunId(this.#deps.ids.uuid())
    this.#admissions.set(runId, admission)
    return runId
  }
}

function contentOf(change: Change): Content | undefined {
  switch (change.kind) {
    case 'changed':
      return change.after
    case 'unchanged':
      return change.content
    case 'answered':
    case 'gone':
    case 'refused':
      return undefined
    case 'contended':
      throw new Fault('store', 'The session changed too often.')
  }
}
