/**
 * Gets the heads of queues to run.
 *
 * Owns the slots, the line of sessions that want one, the admissions under way and what these need.
 * Invariants: in a scope that takes work a session with a waiting prompt and without a run stands in line, is being
 * admitted, or waits to try again; a slot is held by an admission under way or by a run, and by nothing else. A session
 * is no longer being admitted before what the admission left of it is looked at, so a change that the admission does not
 * see puts the session in line again.
 */
import { Fault } from '../kernel/fault.ts'
import { asRunId, type QueueId, type RunId, type SessionKey } from '../kernel/ids.ts'
import type { Part } from '../domain/message/message.ts'
import type { Entry } from '../domain/prompt/entry.ts'
import type { Prompt } from '../domain/prompt/prompt.ts'
import type { Limits } from '../domain/limits.ts'
import type { Content } from '../domain/session/content.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Admissions } from './admission/admissions.ts'
import type { RunLease } from './admission/run-lease.ts'
import type { Children } from './children.ts'
import { Claims } from './claims.ts'
import type { ErrorProjector } from './run/project-error.ts'
import type { ScopeLife } from './scope-life.ts'
import type { ScopeLives } from './scope-lives.ts'
import type { Scopes } from './scopes.ts'
import type { Change, SessionActor } from './session-actor.ts'
import { RunSlot } from './run-slot.ts'
import { type Slot, Slots } from './slots.ts'

export interface AdmitterDeps {
  readonly stores: Stores
  readonly scopes: Scopes
  readonly lives: ScopeLives
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly limits: Limits
  /** This process. */
  readonly owner: string
  readonly errorProjector?: ErrorProjector
}

export interface AdmitterSurroundings {
  /** Gives the actor that the session has now: one that has been let go knows nothing of later changes. */
  readonly actorOf: (key: SessionKey) => SessionActor
  readonly children: Children
  readonly admissions: Admissions
}

export interface Left {
  /** What there is of its assistant message. */
  readonly parts: readonly Part[]
  /** Tokens of the runs that it has delegated to, and of those below. */
  readonly delegatedTokens: number
}

/** What an admission brings to the run that it starts. */
export interface Admission {
  readonly prompt: Prompt
  readonly context: unknown
  readonly slot: RunSlot
  /** Of a delegated run, where the application has a say. */
  readonly lease: RunLease | null
  /** Of a run that is resumed: what earlier attempts have left. */
  readonly left: Left | null
}

const RETRY_MS = 500

export class Admitter {
  readonly claims: Claims
  readonly #deps: AdmitterDeps
  readonly #actorOf: (key: SessionKey) => SessionActor
  readonly #children: Children
  readonly #slots: Slots
  /** How to leave the line. */
  readonly #line = new Map<SessionKey, () => void>()
  readonly #beingAdmitted = new Set<SessionKey>()
  readonly #considered = new Set<SessionKey>()
  readonly #admissions = new Map<RunId, Admission>()
  #isClosed = false

  constructor(deps: AdmitterDeps, { actorOf, ...around }: AdmitterSurroundings) {
    this.#deps = deps
    this.#actorOf = actorOf
    this.#children = around.children
    this.claims = new Claims({ ...deps, ...around })
    this.#slots = new Slots(deps.limits.maxConcurrentRuns)
  }

  /** Prepares to admit a prompt in the commit that enqueues it; undefined when no slot is free. */
  prepare(prompt: Prompt, context: unknown): RunId | undefined {
    const slot = this.#slots.tryTake()
    return slot && this.#expect({ prompt, context, slot: new RunSlot(this.#slots, slot), lease: null, left: null })
  }

  /** Prepares for a run to be resumed. It comes without a slot, and gets one ahead of runs that have not begun. */
  prepareToResume(runId: RunId, prepared: Omit<Admission, 'slot'>): void {
    this.#admissions.set(runId, { ...prepared, slot: new RunSlot(this.#slots, undefined) })
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

  /** Puts the session in line if a prompt of it can run. */
  attend(key: SessionKey, { session, run, entries }: Content): void {
    if (this.#isClosed || run || entries.length === 0) return
    if (this.#line.has(key) || this.#beingAdmitted.has(key)) return
    const life = this.#deps.lives.of(session.scopeKey)
    if (life.refusal) return
    const head = entries.find(({ state }) => state.kind === 'queued')
    if (head?.delegation && !this.#children.isAwaited(head)) return void this.#disown(key, head)
    const leave = this.#slots.wait((slot) => {
      this.#line.delete(key)
      this.#beingAdmitted.add(key)
      void this.#admit(key, life, slot)
    })
    if (!this.#beingAdmitted.has(key)) this.#line.set(key, leave)
  }

  /** Looks at the session, now or as soon as it can be loaded, and attends to it. Never rejects. */
  async consider(key: SessionKey): Promise<void> {
    if (this.#isClosed) return
    this.#considered.add(key)
    try {
      const content = await this.#actorOf(key).load()
      if (content) this.attend(key, content)
    } catch {
      this.#considerLater(key)
    } finally {
      this.#considered.delete(key)
    }
  }

  /** Whether a prompt of the session stands in line, is being admitted, or is tried again later. */
  awaits(key: SessionKey): boolean {
    return this.#line.has(key) || this.#beingAdmitted.has(key)
  }

  /** Whether a prompt of the session is being looked for. */
  considers(key: SessionKey): boolean {
    return this.#considered.has(key)
  }

  /** Takes the session out of the line. What is being admitted already goes on. */
  dismiss(key: SessionKey): void {
    this.#line.get(key)?.()
    this.#line.delete(key)
  }

  /** Forgets sessions that are gone. What is being admitted meets that they are. */
  abandon(keys: ReadonlySet<SessionKey>): void {
    for (const key of keys) this.dismiss(key)
    this.claims.abandon(keys)
  }

  /** Admits nothing more. */
  close(): void {
    this.#isClosed = true
    this.#slots.close()
    for (const leave of this.#line.values()) leave()
    this.#line.clear()
  }

  /** Ends a delegated prompt that nobody waits for, unless its call will be taken up again: then it is left as it is. */
  async #disown(key: SessionKey, head: Entry): Promise<void> {
    this.#beingAdmitted.add(key)
    let isOver = false
    try {
      const content = await this.#actorOf(key).load()
      const end = content && (await this.claims.disownment(content.session, head))
      if (end) isOver = (await this.#actorOf(key).ask(end)).kind === 'changed'
    } catch {
      this.#beingAdmitted.delete(key)
      return this.#considerLater(key)
    }
    this.#beingAdmitted.delete(key)
    if (isOver || this.#children.isAwaited(head)) await this.consider(key)
  }

  async #admit(key: SessionKey, life: ScopeLife, slot: Slot): Promise<void> {
    const runId = asRunId(this.#deps.ids.uuid())
    try {
      const content = await this.#attempt(key, life, { runId, slot })
      if (content?.run?.runId !== runId) slot.release()
      this.#beingAdmitted.delete(key)
      // What changed since is looked at as it is now.
      if (content?.run?.runId !== runId) await this.consider(key)
    } catch (error) {
      slot.release()
      this.#beingAdmitted.delete(key)
      this.#deps.log.error({ err: error }, 'a prompt could not be admitted: trying again')
      this.#considerLater(key)
    }
  }

  /** Admits the head of the queue, or fails it when its scope is refused. The content afterwards. */
  async #attempt(
    key: SessionKey,
    life: ScopeLife,
    { runId, slot }: { readonly runId: RunId; readonly slot: Slot },
  ): Promise<Content | undefined> {
    const unless = () => life.refusal
    const actor = this.#actorOf(key)
    const content = await actor.load()
    const head = content?.entries.find(({ state }) => state.kind === 'queued')
    if (!content || !head || content.run || this.#isClosed || unless()) return content
    const { queueId } = head
    const prompt = await this.#deps.stores.queue.prompt(content.session.key, head.ordinal)
    if (!prompt) throw new Fault('store', `The prompt of the entry ${queueId} is missing.`)
    // Who waits for a delegated prompt says from this turn on when he does not any more.
    if (head.delegation && !this.#children.isAwaited(head)) return content
    const claim = await this.claims.make(content, head, runId)
    if (claim.kind === 'stopped') return content
    if (claim.kind === 'failed') {
      return contentOf(await actor.transact(() => ({ kind: 'change', commands: [claim.end], unless })))
    }
    const { context, lease } = claim
    const admit = { type: 'admit', queueId, prompt, runId, owner: this.#deps.owner, at: this.#deps.clock.now() } as const
    this.#admissions.set(runId, { prompt, context, lease, slot: new RunSlot(this.#slots, slot), left: null })
    try {
      return contentOf(await actor.transact(() => ({ kind: 'change', commands: [admit], unless })))
    } finally {
      await this.#leave(queueId, runId)
    }
  }

  /** Lets go of what an admission has brought, once its run has taken it or will not be. */
  async #leave(queueId: QueueId, runId: RunId): Promise<void> {
    const left = this.take(runId)
    if (left) await this.claims.giveBack(runId, left.lease)
    else this.claims.forget(queueId)
  }

  #considerLater(key: SessionKey): void {
    if (this.#isClosed) return
    this.dismiss(key)
    const retry = () => {
      this.#line.delete(key)
      void this.consider(key)
    }
    this.#line.set(key, this.#deps.clock.after(RETRY_MS, retry))
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
    case 'denied':
      return change.content
    case 'answered':
    case 'gone':
    case 'refused':
      return undefined
    case 'contended':
      throw new Fault('store', 'The session changed too often.')
  }
}
