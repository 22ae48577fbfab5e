/**
 * Executes one run: resolves its model and its tools, takes it through its steps, and ends it.
 *
 * Lives outside of the session's mailbox and speaks to it by commands that carry the run's id and epoch. Invariants:
 * - Whatever happens, the run ends durably, exactly once, or is no longer ours. A store that fails is asked again, until
 *   patience is over or the scope is held; then whoever executes the run is told, so a session is never busy without
 *   somebody who will end its run.
 * - An abort is obeyed at once; what the model still says is ignored.
 * - Raw errors go to the operator's log; only projected ones are stored.
 */
import { AbortReason } from '../../kernel/abort.ts'
import { DELEGATE } from '../../domain/delegation/input.ts'
import type { SubagentDefinition } from '../../domain/delegation/definition.ts'
import { isAllowed } from '../../domain/permission/permission.ts'
import type { PolicyRule } from '../../domain/permission/policy.ts'
import type { Limits } from '../../domain/limits.ts'
import type { RunOutcome } from '../../domain/run/outcome.ts'
import { type AbortRequest, abortOf } from '../../domain/run/run.ts'
import type { ContentCommand } from '../../domain/session/commands.ts'
import type { Content } from '../../domain/session/content.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventTransport } from '../../ports/event-transport.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Model, ModelResolver } from '../../ports/model.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Log } from '../../ports/telemetry.ts'
import { ToolError } from '../../ports/tool-error.ts'
import type { Tool, ToolProvider, ToolRequest } from '../../ports/tools.ts'
import type { Children } from '../children.ts'
import type { Desk } from '../desk.ts'
import type { RecoveryPolicy } from '../recovery-policy.ts'
import type { Orphans } from '../orphans.ts'
import type { Plan } from '../session-actor.ts'
import { sessionRefOf } from '../session-ref.ts'
import { afterLease } from '../admission/after-lease.ts'
import { abortedBy, isLeftAsItIs } from './aborted-by.ts'
import { Asker } from './asker.ts'
import type { ChildWork } from './delegate/child-work.ts'
import { Delegator } from './delegate/delegator.ts'
import { endRun } from './end-run.ts'
import { generate, type GenerationDeps } from './generate.ts'
import type { Meters } from './meters.ts'
import { PartWriter } from './part-writer.ts'
import { type ErrorProjector, type ErrorSource, projectError } from './project-error.ts'
import { raced } from './raced.ts'
import { RunBudget } from './run-budget.ts'
import { RunEnd, RunLost } from './run-end.ts'
import type { RunJob } from './run-job.ts'
import { RunTools } from './run-tools.ts'

export interface RunDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly stores: Stores
  readonly models: ModelResolver
  readonly tools: ToolProvider
  readonly policies: readonly PolicyRule[]
  readonly recovery: RecoveryPolicy
  readonly subagents: readonly SubagentDefinition[]
  readonly children: Children
  readonly work: ChildWork
  readonly desk: Desk
  readonly meters: Meters
  readonly orphans: Orphans
  readonly transport: EventTransport
  readonly limits: Limits
  /** The system prompt of runs whose prompt has none. */
  readonly system: string | null
  readonly errorProjector?: ErrorProjector
}

/** `over` when the run has ended durably or is no longer ours; `unended` when its end could not be made durable. */
export type RunEnding = 'over' | 'unended'

/** Resolves when nothing more is done about the run. Never rejects. */
export function executeRun(deps: RunDeps, job: RunJob): Promise<RunEnding> {
  return new RunExecution(deps, job).execute()
}

interface Resolved {
  readonly model: Model
  readonly tools: ReadonlyMap<string, Tool>
}

type Commands = readonly [ContentCommand, ...ContentCommand[]]

class RunExecution {
  readonly #deps: RunDeps
  readonly #job: RunJob
  readonly #budget: RunBudget
  readonly #writer: PartWriter
  readonly #asker: Asker
  readonly #tools: RunTools
  readonly #delegator: Delegator
  /** Whose code failed, if it was not the one that is at work. */
  #failed: ErrorSource | undefined
  #phase: ErrorSource = 'modelResolver'

  constructor(deps: RunDeps, job: RunJob) {
    this.#deps = deps
    this.#job = job
    const { clock, limits, meters, transport } = deps
    const parent = job.delegation?.parentRunId ?? null
    this.#budget = new RunBudget({ clock, meters, parent, ...job, commit: (count) => this.#commit([count]) })
    this.#writer = new PartWriter({
      clock,
      limits,
      run: job.run,
      past: job.past,
      session: sessionRefOf(job.session),
      publish: (delta) => transport.publish({ type: 'delta', delta }),
      commit: (...commands) => this.#commit(commands),
    })
    const { ids, log, stores, desk, tools: provider, orphans } = deps
    const { scopeKey, key: sessionKey } = job.session
    const what = `the tools of the run ${job.run.runId}`
    const keep = (release: () => Promise<void>) => orphans.add({ scopeKey, sessionKey, what, release })
    const commit = (command: ContentCommand) => this.#commit([command])
    this.#asker = new Asker({ stores, clock, ids, desk, slot: job.slot, session: job.session, run: this.#ref, commit })
    const reserved = deps.subagents.length > 0 ? [DELEGATE] : []
    const only = deps.subagents.find(({ name }) => name === job.session.place.agent)?.tools ?? null
    this.#tools = new RunTools({ clock, log, provider, reserved, only, releaseDeadlineMs: limits.abortDeadlineMs, keep })
    this.#delegator = new Delegator({ ...deps, ...job, asker: this.#asker, change: (plan) => this.#change(plan) })
  }

  async execute(): Promise<RunEnding> {
    using _budget = this.#budget
    const { clock } = this.#deps
    const began = clock.monotonic()
    const result = await this.#outcome()
    await this.#tools.close()
    const outcome = await afterLease(this.#deps, this.#job, result)
    if (outcome === 'lost') {
      this.#writer[Symbol.dispose]()
      return 'over'
    }
    const status = await this.#end(outcome)
    if (status === 'unended') return status
    if (status) this.#report(status, clock.monotonic() - began)
    return 'over'
  }

  /** How the run ended, as far as its executor knows; an abort that is durable has the last word. */
  async #outcome(): Promise<RunOutcome | 'lost'> {
    try {
      await this.#begin()
      const resolved = await this.#resolve()
      if (this.#job.delegation) await this.#deps.children.require(this.#job)
      await generate(this.#generation(resolved))
      return { status: 'COMPLETED' }
    } catch (error) {
      return this.#outcomeOf(error)
    }
  }

  async #begin(): Promise<void> {
    const { run, slot, lease } = this.#job
    const { signal } = this.#budget
    const begin = { type: 'begin', run: this.#ref, at: this.#deps.clock.now() } as const
    if (lease && run.attempts === 1) await lease.enter(signal)
    if (run.attempts === 1) return this.#commit([begin])
    // It may have begun before; and it comes back ahead of runs that have not.
    this.#writer.defer(begin)
    await slot.enter(signal)
    signal.throwIfAborted()
    if (lease) await this.#from('delegatedRunAdmission', lease.enter(signal))
    if (lease) await this.#deps.children.require(this.#job)
  }

  /** Asks for the model and for the tools, at the same time. The first failure ends the wait for both. */
  async #resolve(): Promise<Resolved> {
    const { models, clock } = this.#deps
    const { prompt } = this.#job
    const { signal } = this.#budget
    const request = { ...this.#about(), modelHint: prompt.options.modelHint, signal }
    const requestPermission: ToolRequest['requestPermission'] = async (ask) => {
      const answer = await this.#asker.ask(ask, { partIndex: null, signal })
      if (!isAllowed(answer)) throw new ToolError(answer.message ?? 'A person rejected the request.')
    }
    const asked = [
      this.#from('modelResolver', raced(signal, models.resolve(Object.freeze({ ...request })))),
      this.#from('toolProvider', this.#tools.acquire(Object.freeze({ ...request, requestPermission }))),
    ] as const
    const [model, tools] = await Promise.all(asked)
    this.#writer.defer({ type: 'resolve', run: this.#ref, model: model.identity, at: clock.now() })
    this.#phase = 'model'
    return { model, tools }
  }

  /** Remembers whose code failed first. */
  async #from<T>(source: ErrorSource, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.#failed ??= source
      throw error
    }
  }

  /** What models and tools are told of the run. */
  #about() {
    const { run, session, context, delegation } = this.#job
    const { sessionId, generation, place } = session
    const { generationId } = generation
    const parentSessionId = delegation?.parentSessionId ?? null
    return { scopeId: run.scopeId, context, sessionId, generationId, runId: run.runId, parentSessionId, agent: place.agent }
  }

  #generation({ model, tools }: Resolved): GenerationDeps {
    const { run, session, prompt, past, slot } = this.#job
    const { maxSteps, system } = prompt.options
    return {
      ...this.#deps,
      model,
      tools,
      session,
      about: this.#about(),
      run: this.#ref,
      system: system ?? this.#deps.system,
      maxSteps: maxSteps ?? this.#deps.limits.maxSteps,
      stepsBefore: run.steps,
      past,
      writer: this.#writer,
      asker: this.#asker,
      delegator: this.#delegator,
      commit: (command) => this.#commit([command]),
      slot,
      budget: this.#budget,
      signal: this.#budget.signal,
      isDetached: () => isLeftAsItIs(this.#budget.signal, this.#deps.recovery),
    }
  }

  /** Ends the run durably and says how; undefined when it was no longer ours. */
  #end(outcome: RunOutcome): Promise<RunOutcome['status'] | 'unended' | undefined> {
    const { run, actor, patience, past } = this.#job
    const texts = this.#writer.finish()
    this.#writer[Symbol.dispose]()
    const before = this.#writer.takeWaiting()
    return endRun(this.#deps, { run, actor, patience, outcome, texts, left: past.open, before: [this.#budget.count(), ...before] })
  }

  #commit(commands: Commands): Promise<undefined> {
    return this.#change<undefined>(() => ({ kind: 'change', commands }))
  }

  /** Changes the session; the answer of a plan that changes nothing. */
  async #change<T>(plan: (content: Content) => Plan<T> | Promise<Plan<T>>): Promise<T | undefined> {
    const change = await this.#job.actor.transact(plan)
    if (change.kind === 'contended') throw new StoreFailure('conflict', 'The session changed too often.')
    if (change.kind === 'changed') return undefined
    if (change.kind === 'answered') return change.value
    const abort = change.kind === 'unchanged' ? this.#abortIn(change.content) : null
    if (abort) throw new AbortReason(abort.kind, abort.message)
    throw new RunLost('The run is no longer current.')
  }

  /** The request to stop that made a change impossible. */
  #abortIn({ run }: Content): AbortRequest | null {
    const { runId, epoch } = this.#ref
    return run?.runId === runId && run.epoch === epoch ? abortOf(run) : null
  }

  #outcomeOf(error: unknown): RunOutcome | 'lost' {
    if (error instanceof RunLost) return 'lost'
    if (error instanceof RunEnd) return error.outcome
    const { signal } = this.#budget
    if (isLeftAsItIs(signal, this.#deps.recovery)) return 'lost'
    if (signal.aborted) return abortedBy(signal.reason)
    if (error instanceof AbortReason) return abortedBy(error)
    const source = error instanceof StoreFailure ? 'store' : (this.#failed ?? this.#phase)
    this.#deps.log.error({ err: error, runId: this.#job.run.runId, source }, 'a run failed')
    return { status: 'FAILED', error: projectError(error, source, this.#deps.errorProjector) }
  }

  #report(status: RunOutcome['status'], ms: number): void {
    const { run, session } = this.#job
    const fields = { runId: run.runId, sessionId: session.sessionId, scopeId: run.scopeId, ms: Math.round(ms) }
    this.#deps.log.info({ ...fields, status }, 'a run ended')
  }

  get #ref() {
    return { runId: this.#job.run.runId, epoch: this.#job.run.epoch }
  }
}
