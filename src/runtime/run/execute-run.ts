/**
 * Executes one run: resolves its model, takes it through its steps, and ends it.
 *
 * Lives outside of the session's mailbox and speaks to it by commands that carry the run's id and epoch. Invariants:
 * - Whatever happens, the run ends durably, exactly once, or is no longer ours. A store that fails is asked again, until
 *   patience is over or the scope is held; then whoever executes the run is told, so a session is never busy without
 *   somebody who will end its run.
 * - An abort is obeyed at once; what the model still says is ignored.
 * - Raw errors go to the operator's log; only projected ones are stored.
 */
import { AbortReason } from '../../kernel/abort.ts'
import type { Prompt } from '../../domain/prompt/prompt.ts'
import type { Limits } from '../../domain/limits.ts'
import { fencedOff, interrupted, outOfSteps, type RunOutcome } from '../../domain/run/outcome.ts'
import { abortOf, type Run } from '../../domain/run/run.ts'
import type { ContentCommand } from '../../domain/session/commands.ts'
import type { Session } from '../../domain/session/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventTransport } from '../../ports/event-transport.ts'
import type { Model, ModelResolver, StepPart } from '../../ports/model.ts'
import type { LogStore } from '../../ports/stores/log.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { SessionActor } from '../session-actor.ts'
import { sessionRefOf } from '../session-ref.ts'
import { PartWriter } from './part-writer.ts'
import { type ErrorProjector, type ErrorSource, projectError } from './project-error.ts'
import { pump } from './pump.ts'
import { raced } from './raced.ts'
import { readLog } from './read-log.ts'
import { RunEnd, RunLost } from './run-end.ts'

export interface RunDeps {
  readonly clock: Clock
  readonly log: Log
  readonly agentLog: LogStore
  readonly models: ModelResolver
  readonly transport: EventTransport
  readonly limits: Limits
  /** The system prompt of runs whose prompt has none. */
  readonly system: string | null
  readonly errorProjector?: ErrorProjector
}

export interface RunJob {
  readonly run: Run
  readonly session: Session
  readonly prompt: Prompt
  /** What the application's resolver gave for the scope. */
  readonly context: unknown
  readonly actor: SessionActor
  readonly signal: AbortSignal
  /** Aborted when the end of the run is not to be tried any longer. */
  readonly patience: AbortSignal
}

/** `over` when the run has ended durably or is no longer ours; `unended` when its end could not be made durable. */
export type RunEnding = 'over' | 'unended'

/** Resolves when nothing more is done about the run. Never rejects. */
export function executeRun(deps: RunDeps, job: RunJob): Promise<RunEnding> {
  return new RunExecution(deps, job).execute()
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 5_000

type Commands = readonly [ContentCommand, ...ContentCommand[]]

class RunExecution {
  readonly #deps: RunDeps
  readonly #job: RunJob
  readonly #writer: PartWriter
  /** Commands that wait for the next change. */
  #pending: readonly ContentCommand[] = []
  #phase: ErrorSource = 'modelResolver'

  constructor(deps: RunDeps, job: RunJob) {
    this.#deps = deps
    this.#job = job
    const { clock, limits, transport } = deps
    this.#writer = new PartWriter({
      clock,
      limits,
      run: job.run,
      session: sessionRefOf(job.session),
      publish: (delta) => transport.publish({ type: 'delta', delta }),
      commit: (...commands) => this.#commit(commands),
    })
  }

  async execute(): Promise<RunEnding> {
    const { clock } = this.#deps
    const began = clock.monotonic()
    const outcome = await this.#outcome()
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
      await this.#commit([{ type: 'begin', run: this.#ref, at: this.#deps.clock.now() }])
      const model = await this.#resolve()
      await this.#generate(model)
      return { status: 'COMPLETED' }
    } catch (error) {
      return this.#outcomeOf(error)
    }
  }

  async #resolve(): Promise<Model> {
    const { models, clock } = this.#deps
    const { run, session, context, prompt, signal } = this.#job
    const request = Object.freeze({
      scopeId: run.scopeId,
      context,
      sessionId: session.sessionId,
      generationId: session.generation.generationId,
      runId: run.runId,
      modelHint: prompt.options.modelHint,
      signal,
    })
    const model = await raced(signal, models.resolve(request))
    this.#pending = [{ type: 'resolve', run: this.#ref, model: model.identity, at: clock.now() }]
    this.#phase = 'model'
    return model
  }

  async #generate(model: Model): Promise<void> {
    const maxSteps = this.#job.prompt.options.maxSteps ?? this.#deps.limits.maxSteps
    for (let step = 1; ; step++) {
      const reason = await this.#step(model)
      if (reason !== 'continue') return
      if (step >= maxSteps) throw new RunEnd(outOfSteps(maxSteps))
    }
  }

  async #step(model: Model): Promise<Extract<StepPart, { type: 'finish' }>['reason']> {
    const { clock, agentLog, system } = this.#deps
    const { session, prompt, signal } = this.#job
    const log = await readLog(agentLog, session.key)
    const stream = model.stream({ system: prompt.options.system ?? system, log, signal })
    let finish: Extract<StepPart, { type: 'finish' }> | undefined
    await pump(clock, { stream, signal }, (part) => {
      if (part.type === 'finish') finish = part
      return this.#take(part)
    })
    if (!finish) throw new Error('The model ended its stream without finishing.')
    const { output, usage, reason } = finish
    const end: ContentCommand = { type: 'endStep', run: this.#ref, output, usage, at: clock.now() }
    this.#pending = [...this.#pending, ...this.#writer.takeClosing(), end]
    // The last step's end and the run's are one change.
    if (reason === 'continue') await this.#flush()
    return reason
  }

  #take(part: StepPart): void | Promise<void> {
    switch (part.type) {
      case 'start':
        return this.#writer.open(part.block, part.kind, this.#takePending())
      case 'delta':
        return this.#writer.push(part.block, part.text)
      case 'end':
        return this.#writer.close(part.block)
      case 'finish':
        return
    }
  }

  /** Ends the run durably and says how; undefined when it was no longer ours. */
  async #end(outcome: RunOutcome): Promise<RunOutcome['status'] | 'unended' | undefined> {
    const { clock, log } = this.#deps
    const { patience } = this.#job
    const texts = this.#writer.finish()
    this.#writer[Symbol.dispose]()
    const before = [...this.#takePending(), ...this.#writer.takeClosing()]
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const end = { type: 'conclude', run: this.#ref, outcome, texts, at: clock.now() } as const
        const [first, ...rest] = [...before, end] as const
        const change = await this.#job.actor.ask(first ?? end, ...rest)
        if (change.kind === 'changed') return change.before.run && abortOf(change.before.run) ? 'CANCELLED' : outcome.status
        if (change.kind !== 'contended') return undefined
      } catch (error) {
        log.error({ err: error, runId: this.#job.run.runId }, 'the end of a run could not be stored')
        if (error instanceof StoreFailure && error.failure === 'fatal') return 'unended'
      }
      await clock.sleep(pause, patience).catch(() => undefined)
      if (patience.aborted) return 'unended'
    }
  }

  async #flush(): Promise<void> {
    const [first, ...rest] = this.#takePending()
    if (first) await this.#commit([first, ...rest])
  }

  #takePending(): readonly ContentCommand[] {
    const pending = this.#pending
    this.#pending = []
    return pending
  }

  async #commit(commands: Commands): Promise<void> {
    const change = await this.#job.actor.ask(...commands)
    if (change.kind === 'contended') throw new StoreFailure('conflict', 'The session changed too often.')
    if (change.kind !== 'changed') throw new RunLost('The run is no longer current.')
  }

  #outcomeOf(error: unknown): RunOutcome | 'lost' {
    if (error instanceof RunLost) return 'lost'
    if (error instanceof RunEnd) return error.outcome
    const { signal } = this.#job
    if (signal.aborted) return abortedBy(signal.reason)
    const source = error instanceof StoreFailure ? 'store' : this.#phase
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

const abortedBy = (reason: unknown): RunOutcome => {
  if (reason instanceof AbortReason && reason.kind === 'shutdown') return interrupted
  if (reason instanceof AbortReason && reason.kind === 'fenced') return fencedOff(reason.message)
  const message = reason instanceof AbortReason ? reason.message : 'The run was aborted.'
  return { status: 'CANCELLED', error: { code: 'ABORTED', message, source: 'harness' } }
}
