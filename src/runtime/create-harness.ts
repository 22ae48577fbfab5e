/**
 * The harness: what applications and the GraphQL API speak to.
 *
 * Owns the life of everything in the runtime, and the door: while it is not open, verbs are refused.
 */
import type { ScopeId, SessionKey } from '../kernel/ids.ts'
import { type Answer, no, type Refusal, type RefusalOf } from '../kernel/refusal.ts'
import { defaultLimits, type Limits } from '../domain/limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventTransport } from '../ports/event-transport.ts'
import type { Ids } from '../ports/ids.ts'
import type { LiveRuns } from '../ports/live-run.ts'
import type { ModelResolver } from '../ports/model.ts'
import type { ScopeResolver } from '../ports/scope-resolver.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Subscriptions } from '../ports/subscriptions.ts'
import type { Log } from '../ports/telemetry.ts'
import type { CommitPolicy } from './committer.ts'
import { Committers } from './committers.ts'
import type { Caller, Harness, HarnessInfo, OpenScope } from './harness.ts'
import { defaultRetention, keepHouse, type Retention } from './housekeeping.ts'
import type { ErrorProjector } from './run/project-error.ts'
import { everyScope, Scopes } from './scopes.ts'
import { Sessions } from './sessions.ts'
import { abortRun } from './verbs/abort-run.ts'
import { cancelPrompt } from './verbs/cancel-prompt.ts'
import { createSession } from './verbs/create-session.ts'
import type { VerbDeps } from './verbs/deps.ts'
import { enqueuePrompt } from './verbs/enqueue-prompt.ts'

export interface HarnessOptions {
  readonly stores: Stores
  readonly models: ModelResolver
  readonly transport: EventTransport
  readonly subscriptions: Subscriptions
  readonly liveRuns: LiveRuns
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly version: string
  /** Every well-formed scope id is a scope of its own when absent. */
  readonly resolver?: ScopeResolver
  readonly limits?: Partial<Limits>
  /** The system prompt of runs whose prompt has none. */
  readonly system?: string
  readonly errorProjector?: ErrorProjector
  readonly retention?: Partial<Retention>
  readonly commits?: Partial<CommitPolicy>
}

type Door = 'new' | 'open' | 'closed'

const DEFAULT_GRACE_MS = 10_000
const RECOVERY_PAGE = 100

/** Makes a harness. It refuses work until `start` has been called. Throws a `RangeError` for limits that make no sense. */
export function createHarness(options: HarnessOptions): Harness {
  return new RunningHarness(options)
}

class RunningHarness implements Harness {
  readonly info: HarnessInfo
  readonly stores: Stores
  readonly subscriptions: Subscriptions
  readonly liveRuns: LiveRuns
  readonly #options: HarnessOptions
  readonly #deps: VerbDeps
  #door: Door = 'new'
  #admissions = 0
  #stopKeepingHouse: (() => Promise<void>) | undefined
  #closing: Promise<void> | undefined

  constructor(options: HarnessOptions) {
    const limits = checkedLimits({ ...defaultLimits, ...options.limits })
    const { stores, models, subscriptions, clock, ids, log, resolver = everyScope } = options
    this.#options = options
    this.stores = stores
    this.subscriptions = subscriptions
    this.liveRuns = options.liveRuns
    this.info = { version: options.version, models: models.known, limits }
    const scopes = new Scopes({ resolver, store: stores.scopes, clock })
    const committers = new Committers({ ...options, ...(options.commits && { policy: options.commits }) })
    const { transport, errorProjector } = options
    const sessions = new Sessions({
      stores,
      scopes,
      committers,
      transport,
      clock,
      ids,
      log,
      limits,
      models,
      agentLog: stores.log,
      system: options.system ?? null,
      ...(errorProjector && { errorProjector }),
    })
    this.#deps = { stores, scopes, sessions, committers, clock, ids, limits }
  }

  get isHealthy(): boolean {
    return this.#door === 'open' && this.#deps.committers.isHealthy
  }

  async start(): Promise<void> {
    if (this.#door !== 'new') throw new Error('A harness can be started once.')
    this.#door = 'open'
    await this.#recover()
    const { stores, clock, log, retention } = this.#options
    this.#stopKeepingHouse = keepHouse({ stores, clock, log, retention: { ...defaultRetention, ...retention } })
  }

  close({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#door = 'closed'
    this.#closing ??= this.#close(graceMs).finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  async openScope(scopeId: ScopeId, caller: Caller): Promise<OpenScope | undefined> {
    const [open] = await this.openScopes([scopeId], caller)
    return open
  }

  async openScopes(scopeIds: readonly ScopeId[], { principal }: Caller): Promise<readonly (OpenScope | undefined)[]> {
    const { scopes } = this.#deps
    const resolved = await Promise.all(scopeIds.map((scopeId) => scopes.resolve(scopeId, principal)))
    const rows = await scopes.findNamed(resolved.flatMap((found) => found?.storageKey ?? []))
    return scopeIds.map((scopeId, i) => {
      const storageKey = resolved[i]?.storageKey
      return storageKey === undefined ? undefined : { scopeId, storageKey, scope: rows.get(storageKey) }
    })
  }

  createSession(...[input, caller]: Parameters<Harness['createSession']>): ReturnType<Harness['createSession']> {
    return this.#whileOpen(() => createSession(this.#deps, input, caller))
  }

  enqueuePrompt(...[input, caller]: Parameters<Harness['enqueuePrompt']>): ReturnType<Harness['enqueuePrompt']> {
    return this.#whileOpen(async () => {
      const { maxAdmissionsInFlight } = this.#deps.limits
      if (this.#admissions >= maxAdmissionsInFlight) return no(tooManyAdmissions(maxAdmissionsInFlight))
      this.#admissions++
      try {
        return await enqueuePrompt(this.#deps, input, caller)
      } finally {
        this.#admissions--
      }
    })
  }

  cancelPrompt(...[input, caller]: Parameters<Harness['cancelPrompt']>): ReturnType<Harness['cancelPrompt']> {
    return this.#whileOpen(() => cancelPrompt(this.#deps, input, caller))
  }

  abortRun(...[input, caller]: Parameters<Harness['abortRun']>): ReturnType<Harness['abortRun']> {
    return this.#whileOpen(() => abortRun(this.#deps, input, caller))
  }

  async #whileOpen<T, R extends Refusal>(
    verb: () => Promise<Answer<T, R>>,
  ): Promise<Answer<T, R | RefusalOf<'SHUTTING_DOWN'> | RefusalOf<'SCOPE_FENCED'>>> {
    if (this.#door !== 'open') return no(shuttingDown)
    if (!this.#deps.committers.isHealthy) return no(fenced)
    return verb()
  }

  async #recover(): Promise<void> {
    const { stores, sessions } = this.#deps
    let after: SessionKey | undefined
    for (;;) {
      const page = await stores.sessions.unsettled(after, RECOVERY_PAGE)
      for (const { key } of page) await sessions.recover(key)
      after = page.at(-1)?.key
      if (page.length < RECOVERY_PAGE) return
    }
  }

  async #close(graceMs: number): Promise<void> {
    const { sessions, committers } = this.#deps
    await this.#stopKeepingHouse?.()
    await sessions.close(graceMs)
    await committers.drain()
    this.subscriptions.close()
  }
}

const shuttingDown: RefusalOf<'SHUTTING_DOWN'> = {
  code: 'SHUTTING_DOWN',
  message: 'The harness is not open: it is starting or stopping. Nothing was changed; try again later.',
}

const fenced: RefusalOf<'SCOPE_FENCED'> = {
  code: 'SCOPE_FENCED',
  message: 'The outcome of an earlier change is unknown, so no work is taken until the server was restarted.',
}

const tooManyAdmissions = (limit: number): RefusalOf<'QUEUE_FULL'> => ({
  code: 'QUEUE_FULL',
  message: `At most ${limit} prompts can be enqueued at the same moment. Nothing was changed; try again.`,
  limit,
})

function checkedLimits(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`limits.${name} must be a positive integer.`)
  }
  return Object.freeze(limits)
}
