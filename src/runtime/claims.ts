/**
 * What a prompt needs before anything of its run exists: the context of its scope and, if it was delegated, the call that
 * owns it and the lease of the application.
 *
 * Owns the contexts of waiting prompts, and one signal for each that is being prepared: it aborts when the prompt is
 * forgotten, which is when the call that delegated it does not wait any more. Invariant: a lease that is not handed out is
 * closed, or is an orphan.
 */
import { AbortReason } from '../kernel/abort.ts'
import type { QueueId, RunId, SessionKey } from '../kernel/ids.ts'
import type { Entry } from '../domain/prompt/entry.ts'
import type { ErrorView } from '../domain/run/outcome.ts'
import type { Cancel, Reject } from '../domain/session/commands.ts'
import type { Content } from '../domain/session/content.ts'
import type { Session } from '../domain/session/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Admissions } from './admission/admissions.ts'
import { afterLease } from './admission/after-lease.ts'
import type { RunLease } from './admission/run-lease.ts'
import { type Children, disowned } from './children.ts'
import { type ErrorProjector, projectError } from './run/project-error.ts'
import type { Scopes } from './scopes.ts'

export interface ClaimsDeps {
  readonly scopes: Scopes
  readonly clock: Clock
  readonly log: Log
  readonly children: Children
  readonly admissions: Admissions
  readonly errorProjector?: ErrorProjector
}

export type Claim =
  | { readonly kind: 'made'; readonly context: unknown; readonly lease: RunLease | null }
  | Obstacle

/** Why a prompt does not run. */
type Obstacle =
  /** The prompt ends without a run. */
  | { readonly kind: 'failed'; readonly end: Cancel | Reject }
  /** Nothing is to be done here, at least for now. */
  | { readonly kind: 'stopped' }

/** What the application's resolver gave for a prompt of a session. */
export interface Kept {
  readonly key: SessionKey
  readonly context: unknown
}

interface Wish {
  readonly session: Session
  readonly head: Entry
  readonly runId: RunId
}

interface Asking extends Omit<Wish, 'runId'> {
  readonly lease: RunLease
}

export type Context = { readonly ok: true; readonly context: unknown } | { readonly ok: false; readonly error: ErrorView }

const overtaken = new AbortReason('requested', 'The prompt waits no longer.')

export class Claims {
  readonly #deps: ClaimsDeps
  readonly #contexts = new Map<QueueId, Kept>()
  readonly #asking = new Map<QueueId, AbortController>()

  constructor(deps: ClaimsDeps) {
    this.#deps = deps
  }

  /** Keeps what the application's resolver gave for a prompt until it runs. */
  keepContext(queueId: QueueId, kept: Kept): void {
    this.#contexts.set(queueId, kept)
  }

  /** Forgets what it keeps of a prompt that will not run here, or does already, and asks nobody about it any more. */
  forget(queueId: QueueId): void {
    this.#contexts.delete(queueId)
    this.#asking.get(queueId)?.abort(overtaken)
  }

  /** Forgets the prompts of sessions that are gone. */
  abandon(keys: ReadonlySet<SessionKey>): void {
    for (const [queueId, { key }] of this.#contexts) if (keys.has(key)) this.forget(queueId)
  }

  /** The lease that a run needs which has yet to ask for it; null when it needs none. Rejects as the stores do. */
  leaseOf(session: Session, entry: Entry, runId: RunId): Promise<RunLease | null> {
    return this.#deps.admissions.leaseOf(session, entry, runId)
  }

  /** Gets what the run of a prompt needs, until the prompt is forgotten. Rejects as the stores do; then nothing is held. */
  async make({ session }: Content, head: Entry, runId: RunId): Promise<Claim> {
    const { queueId } = head
    const controller = new AbortController()
    this.#asking.set(queueId, controller)
    try {
      return await this.#made({ session, head, runId }, controller.signal)
    } finally {
      this.#asking.delete(queueId)
    }
  }

  /** What ends a delegated prompt of which the call is over. Rejects as the stores do. */
  async disownment(session: Session, { queueId, delegation }: Entry): Promise<Cancel | undefined> {
    const { children, clock } = this.#deps
    const why = delegation && (await children.whyDisowned(session, { queueId, delegation }))
    if (!why) return undefined
    const request = { kind: 'parent', message: disowned(why), by: 'harness', at: clock.now() } as const
    return { type: 'cancel', queueId, request }
  }

  /** The context kept since the prompt was enqueued; after a restart the one that its scope id stands for now. */
  async contextOf({ queueId, scopeId }: Entry): Promise<Context> {
    const kept = this.#contexts.get(queueId)
    if (kept) return { ok: true, context: kept.context }
    const { scopes, log, errorProjector } = this.#deps
    try {
      const resolved = await scopes.resolve(scopeId, null)
      if (resolved) return { ok: true, context: resolved.context }
      return { ok: false, error: projectError(undefined, 'scopeResolver') }
    } catch (error) {
      log.error({ err: error, queueId }, 'the scope of a prompt could not be resolved')
      return { ok: false, error: projectError(error, 'scopeResolver', errorProjector) }
    }
  }

  /** Closes the lease of a run that will not be. Never rejects: what fails is tried again by others. */
  async giveBack(runId: RunId, lease: RunLease | null): Promise<void> {
    await afterLease(this.#deps, { run: { runId }, lease }, 'lost')
  }

  async #made({ session, head, runId }: Wish, signal: AbortSignal): Promise<Claim> {
    const end = await this.disownment(session, head)
    if (end) return { kind: 'failed', end }
    const resolved = await this.contextOf(head)
    if (!resolved.ok) return this.#failed(head, resolved.error)
    const lease = await this.leaseOf(session, head, runId)
    if (!lease) return { kind: 'made', context: resolved.context, lease }
    let obstacle: Obstacle | undefined = { kind: 'stopped' }
    try {
      obstacle = await this.#entered({ session, head, lease }, signal)
    } finally {
      if (obstacle) await this.giveBack(runId, lease)
    }
    return obstacle ?? { kind: 'made', context: resolved.context, lease }
  }

  /** Asks the application, and looks again at who owns the prompt. What is in the way of the run, if something is. */
  async #entered({ session, head, lease }: Asking, signal: AbortSignal): Promise<Obstacle | undefined> {
    const { log, errorProjector } = this.#deps
    try {
      await lease.enter(signal)
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      log.error({ err: error, queueId: head.queueId }, 'a delegated run was not admitted')
      return this.#failed(head, projectError(error, 'delegatedRunAdmission', errorProjector))
    }
    const end = await this.disownment(session, head)
    if (end) return { kind: 'failed', end }
    return signal.aborted ? { kind: 'stopped' } : undefined
  }

  #failed({ queueId }: Entry, error: ErrorView): Obstacle {
    return { kind: 'failed', end: { type: 'reject', queueId, error, at: this.#deps.clock.now() } }
  }
}
