/**
 * The harness: what applications and the GraphQL API speak to.
 *
 * Owns the life of everything in the runtime, and the door: while it is not open, verbs are refused.
 */
import type { ScopeId, ScopeKey } from '../kernel/ids.ts'
import { type Answer, no, type Refusal, type RefusalOf } from '../kernel/refusal.ts'
import type { LiveInboxes } from '../ports/live-inbox.ts'
import type { LiveRuns } from '../ports/live-run.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Subscriptions } from '../ports/subscriptions.ts'
import { CommitHeld } from './commit-held.ts'
import type { CommitLost } from './commit-lost.ts'
import { Committers } from './committers.ts'
import { Deletions } from './deletions.ts'
import { held, NOT_KNOWN, shuttingDown, tooManyAdmissions } from './door-refusals.ts'
import { Fences } from './fences.ts'
import type { Caller, Harness, HarnessInfo, OpenScope } from './harness.ts'
import { harnessInfo } from './harness-info.ts'
import { defaultRetention, keepHouse } from './housekeeping.ts'
import { defaultLeasePolicy, Leases } from './leases.ts'
import { openScopes } from './open-scopes.ts'
import { Orphans } from './orphans.ts'
import { recoverUnsettled } from './recover-unsettled.ts'
import { Retirements } from './retirements.ts'
import { ScopeLives } from './scope-lives.ts'
import { everyScope, Scopes } from './scopes.ts'
import { Sessions } from './sessions.ts'
import { abortRun } from './verbs/abort-run.ts'
import { cancelPrompt } from './verbs/cancel-prompt.ts'
import { createSession } from './verbs/create-session.ts'
import type { VerbDeps } from './verbs/deps.ts'
import { deleteCohort } from './verbs/delete-cohort.ts'
import { deleteSession } from './verbs/delete-session.ts'
import { enqueuePrompt } from './verbs/enqueue-prompt.ts'
import { fenceScope } from './verbs/fence-scope.ts'
import { reconcileToolExecution } from './verbs/reconcile-tool-execution.ts'
import { respondToPermission } from './verbs/respond-to-permission.ts'
import { retireScope } from './verbs/retire-scope.ts'
import { revokeGrant } from './verbs/revoke-grant.ts'
import type { HarnessOptions } from './harness-options.ts'

type Door = 'new' | 'open' | 'closed'

const DEFAULT_GRACE_MS = 10_000

/**
 * Makes a harness. It refuses work until `start` has been called. Throws a `RangeError` for limits that make no sense, and a
 * `TypeError` for subagents.
 */
export function createHarness(options: HarnessOptions): Harness {
  return new RunningHarness(options)
}

class RunningHarness implements Harness {
  readonly info: HarnessInfo
  readonly stores: Stores
  readonly subscriptions: Subscriptions
  readonly liveRuns: LiveRuns
  readonly liveInboxes: LiveInboxes
  readonly #options: HarnessOptions
  readonly #deps: VerbDeps
  readonly #orphans = new Orphans()
  #door: Door = 'new'
  #admissions = 0
  readonly #leases: Leases | null
  #stopKeepingHouse: (() => Promise<void>) | undefined
  #closing: Promise<void> | undefined

  constructor(options: HarnessOptions) {
    const { stores, models, subscriptions, transport, clock, ids, log, resolver = everyScope, errorProjector } = options
    this.#options = options
    this.stores = stores
    this.subscriptions = subscriptions
    this.liveRuns = options.liveRuns
    this.liveInboxes = options.liveInboxes
    this.info = harnessInfo(options)
    const { limits, subagents } = this.info
    const owner = ids.uuid()
    const scopes = new Scopes({ resolver, store: stores.scopes, clock })
    const lives = new ScopeLives()
    const orphans = this.#orphans
    const onLost = (lost: ReadonlySet<ScopeKey>, error: CommitLost) => {
      for (const scopeKey of lost) fences.raise(scopeKey, NOT_KNOWN, error)
    }
    const committers = new Committers({ ...options, onLost, ...(options.commits && { policy: options.commits }) })
    const sessions = new Sessions({
      stores,
      scopes,
      lives,
      orphans,
      committers,
      transport,
      clock,
      ids,
      log,
      limits,
      models,
      tools: options.tools ?? { provide: async () => ({ tools: [] }) },
      policies: options.policies ?? [],
      subagents,
      recovery: options.recovery ?? 'RESUME',
      owner,
      system: options.system ?? null,
      admission: options.delegatedRunAdmission ?? null,
      ...(errorProjector && { errorProjector }),
    })
    const policy = { ...defaultLeasePolicy, ...options.leases }
    const { instances } = stores
    const pace = { graceMs: limits.abortDeadlineMs, lookMs: policy.lookMs }
    const deletions = new Deletions({ stores, committers, sessions, orphans, clock, log, owner, ...pace })
    this.#leases = instances && new Leases({ instances, sessions, deletions, clock, log, owner, policy })
    const onRestored = (scopeKey: ScopeKey) => void deletions.finishAll(scopeKey)
    const fences = new Fences({ lives, committers, sessions, orphans, clock, log, onRestored })
    const onRetired = (scopeKey: ScopeKey) => subscriptions.endIn(scopeKey)
    const retirements = new Retirements({ lives, fences, committers, sessions, deletions, orphans, clock, log, onRetired })
    this.#deps = { stores, scopes, lives, fences, retirements, deletions, sessions, committers, clock, ids, limits, owner }
  }

  get isHealthy(): boolean {
    return this.#door === 'open' && this.#deps.lives.fenced.length === 0
  }

  async start(): Promise<void> {
    if (this.#door !== 'new') throw new Error('A harness can be started once.')
    this.#door = 'open'
    const { stores, clock, log, retention } = this.#options
    const { committers, sessions, deletions } = this.#deps
    await (this.#leases ? this.#leases.begin() : recoverUnsettled(stores.sessions, sessions))
    void deletions.finishAll()
    this.#stopKeepingHouse = keepHouse({
      stores,
      clock,
      log,
      retention: { ...defaultRetention, ...retention },
      needsRecords: () => !committers.isHealthy,
    })
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

  openScopes(...[scopeIds, caller]: Parameters<Harness['openScopes']>): ReturnType<Harness['openScopes']> {
    return openScopes(this.#deps, scopeIds, caller)
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

  deleteSession(...[input, caller]: Parameters<Harness['deleteSession']>): ReturnType<Harness['deleteSession']> {
    return this.#whileOpen(() => deleteSession(this.#deps, input, caller))
  }

  deleteSessionGenerationCohort(
    ...[input, caller]: Parameters<Harness['deleteSessionGenerationCohort']>
  ): ReturnType<Harness['deleteSessionGenerationCohort']> {
    return this.#whileOpen(() => deleteCohort(this.#deps, input, caller))
  }

  cancelPrompt(...[input, caller]: Parameters<Harness['cancelPrompt']>): ReturnType<Harness['cancelPrompt']> {
    return this.#whileOpen(() => cancelPrompt(this.#deps, input, caller))
  }

  abortRun(...[input, caller]: Parameters<Harness['abortRun']>): ReturnType<Harness['abortRun']> {
    return this.#whileOpen(() => abortRun(this.#deps, input, caller))
  }

  respondToPermission(
    ...[input, caller]: Parameters<Harness['respondToPermission']>
  ): ReturnType<Harness['respondToPermission']> {
    return this.#whileOpen(() => respondToPermission(this.#deps, input, caller))
  }

  revokeGrant(...[input, caller]: Parameters<Harness['revokeGrant']>): ReturnType<Harness['revokeGrant']> {
    return this.#whileOpen(() => revokeGrant(this.#deps, input, caller))
  }

  reconcileToolExecution(
    ...[input, caller]: Parameters<Harness['reconcileToolExecution']>
  ): ReturnType<Harness['reconcileToolExecution']> {
    return this.#whileOpen(() => reconcileToolExecution(this.#deps, input, caller))
  }

  retireScope(...[input, caller]: Parameters<Harness['retireScope']>): ReturnType<Harness['retireScope']> {
    return this.#whileOpen(() => retireScope(this.#deps, input, caller))
  }

  fenceScope(...[input, caller]: Parameters<Harness['fenceScope']>): ReturnType<Harness['fenceScope']> {
    return this.#whileOpen(() => fenceScope(this.#deps, input, caller))
  }

  /** A change that was never sent to the store, as its scope was fenced when its turn came, is refused like any other. */
  async #whileOpen<T, R extends Refusal>(
    verb: () => Promise<Answer<T, R>>,
  ): Promise<Answer<T, R | RefusalOf<'SHUTTING_DOWN'> | RefusalOf<'SCOPE_FENCED'>>> {
    if (this.#door !== 'open') return no(shuttingDown)
    try {
      return await verb()
    } catch (error) {
      if (error instanceof CommitHeld) return no(held)
      throw error
    }
  }

  async #close(graceMs: number): Promise<void> {
    const { sessions, committers, fences, retirements, deletions } = this.#deps
    await this.#stopKeepingHouse?.()
    this.#leases?.takeNoMore()
    sessions.admitter.close()
    sessions.interruptWaiting()
    fences.hurry()
    let cancel = this.#options.clock.after(graceMs, () => {
      fences.stop()
      deletions.stop()
      cancel = sessions.interrupt()
    })
    await Promise.all([sessions.drained(), fences.settled(), retirements.settled(), deletions.settled()])
    cancel()
    await this.#leases?.end()
    await committers.drain()
    const failures = [...(await this.#orphans.release()), ...fences.standing()]
    fences.stop()
    this.subscriptions.close()
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be stopped. Closing again tries again.')
  }
}
