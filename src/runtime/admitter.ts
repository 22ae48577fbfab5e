/**
 * Gets the heads of queues to run.
 *
 * Owns the slots, the line of sessions that want one, the admissions under way and the contexts of waiting prompts.
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
import type { ErrorView } from '../domain/run/outcome.ts'
import type { Limits } from '../domain/limits.ts'
import type { Cancel, Reject } from '../domain/session/commands.ts'
import type { Content } from '../domain/session/content.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Log } from '../ports/telemetry.ts'
import { type Children, disowned } from './children.ts'
import { type ErrorProjector, projectError } from './run/project-error.ts'
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
  /** Of a run that is resumed: what earlier attempts have left. */
  readonly left: Left | null
}

type Claim = { readonly ok: true; readonly context: unknown } | { readonly ok: false; readonly end: Cancel | Reject }

const RETRY_MS = 500

export class Admitter {
  readonly #deps: AdmitterDeps
  readonly #actorOf: (key: SessionKey) => SessionActor
  readonly #children: Children
  readonly #slots: Slots
  /** How to leave the line. */
  readonly #line = new Map<SessionKey, () => void>()
  readonly #beingAdmitted = new Set<SessionKey>()
  readonly #considered = new Set<SessionKey>()
  readonly #admissions = new Map<RunId, Admission>()
  readonly #contexts = new Map<QueueId, unknown>()
  #isClosed = false

  constructor(deps: AdmitterDeps, { actorOf, children }: AdmitterSurroundings) {
    this.#deps = deps
    this.#actorOf = actorOf
    this.#children = children
    this.#slots = new Slots(deps.limits.maxConcurrentRuns)
  }

  /** Prepares to admit a prompt in the commit that enqueues it; undefined when no slot is free. */
  prepare(prompt: Prompt, context: unknown): RunId | undefined {
    const slot = this.#slots.tryTake()
    return slot && this.#expect({ prompt, context, slot: new RunSlot(this.#slots, slot), left: null })
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

  /** Keeps what the application's resolver gave for a prompt until it runs. */
  keepContext(queueId: QueueId, context: unknown): void {
    this.#contexts.set(queueId, context)
  }

  /** Forgets what it keeps of a prompt that will not run. */
  forget(queueId: QueueId): void {
    this.#contexts.delete(queueId)
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
      const end = content && (await this.#disownment(content, head))
      if (end) isOver = (await this.#actorOf(key).ask(end)).kind === 'changed'
    } catch {
      this.#beingAdmitted.delete(key)
      return this.#considerLater(key)
    }
    this.#beingAdmitted.delete(key)
    if (isOver || this.#children.isAwaited(head)) await this.consider(key)
  }

  /** What ends a delegated prompt of which the call is over. */
  async #disownment({ session }: Content, { queueId, delegation }: Entry): Promise<Cancel | undefined> {
    const why = delegation && (await this.#children.whyDisowned(session, { queueId, delegation }))
    if (!why) return undefined
    const request = { kind: 'parent', message: disowned(why), by: 'harness', at: this.#deps.clock.now() } as const
    return { type: 'cancel', queueId, request }
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
    } finally {
      this.#admissions.delete(runId)
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
    if (head.delegation && !this.#children.isAwaited(head)) return content
    const { queueId } = head
    const claim = await this.#claim(content, head)
    if (!claim.ok) return contentOf(await actor.transact(() => ({ kind: 'change', commands: [claim.end], unless })))
    const prompt = await this.#deps.stores.queue.prompt(content.session.key, head.ordinal)
    if (!prompt) throw new Fault('store', `The prompt of the entry ${queueId} is missing.`)
    this.#admissions.set(runId, { prompt, context: claim.context, slot: new RunSlot(this.#slots, slot), left: null })
    const at = this.#deps.clock.now()
    const admit = { type: 'admit', queueId, prompt, runId, owner: this.#deps.owner, at } as const
    const after = contentOf(await actor.transact(() => ({ kind: 'change', commands: [admit], unless })))
    if (after?.run?.runId === runId) this.#contexts.delete(queueId)
    return after
  }

  /** What a run needs before anything of it exists, or what ends the prompt without one. */
  async #claim(content: Content, head: Entry): Promise<Claim> {
    const end = await this.#disownment(content, head)
    if (end) return { ok: false, end }
    const resolved = await this.contextOf(head)
    if (resolved.ok) return resolved
    return { ok: false, end: { type: 'reject', queueId: head.queueId, error: resolved.error, at: this.#deps.clock.now() } }
  }

  /** The context kept since the prompt was enqueued; after a restart the one that its scope id stands for now. */
  async contextOf({ queueId, scopeId }: Entry): Promise<{ ok: true; context: unknown } | { ok: false; error: ErrorView }> {
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
