import { abortedWith, interrupted, type RunOutcome } from '../domain/run/outcome.ts'
import { type AbortRequest, abortOf, type Run } from '../domain/run/run.ts'
import type { Child } from '../domain/delegation/delegation.ts'
import type { ContentCommand } from '../domain/session/commands.ts'
import type { Content } from '../domain/session/content.ts'
import type { SessionKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Stores } from '../ports/stores/stores.ts'
import { durableTexts } from './durable-texts.ts'
import { childModels } from './run/delegate/child-models.ts'
import type { Plan, SessionActor } from './session-actor.ts'

export interface RunStopsDeps {
  readonly stores: Pick<Stores, 'messages' | 'queue' | 'runs'>
  readonly clock: Clock
  readonly actorOf: (key: SessionKey) => SessionActor
  /** Whether this process executes the run. */
  readonly isExecuted: (run: Run) => boolean
}

/**
 * How runs are stopped from outside.
 *
 * Invariant: a run that nobody executes ends after the children that its calls wait for, the deepest first. They are changed
 * while its session is, never the other way round, so nobody waits in a circle.
 */
export class RunStops {
  readonly #deps: RunStopsDeps

  constructor(deps: RunStopsDeps) {
    this.#deps = deps
  }

  /** What asks the run to stop; what ends it, if nobody executes it here. Fails as the stores do. */
  async stop(content: Content, run: Run, request: AbortRequest): Promise<ContentCommand> {
    if (this.#deps.isExecuted(run)) return { type: 'abort', runId: run.runId, request }
    return this.end(content, run, abortedWith(request.message))
  }

  /** What ends a run that nobody executes, when its children have ended. Fails as the stores do. */
  async end({ open }: Content, run: Run, outcome: RunOutcome): Promise<ContentCommand> {
    const { stores, clock } = this.#deps
    for (const part of open) {
      if (part.kind === 'tool' && part.child) await this.endChild(part.child, run, outcome)
    }
    const texts = await durableTexts(stores, run)
    const models = await childModels(stores, open)
    return { type: 'conclude', run: { runId: run.runId, epoch: run.epoch }, outcome, texts, childModels: models, at: clock.now() }
  }

  /** Ends the prompt that a call of the run waits for, unless it is executed here. Fails as the stores do. */
  async endChild({ sessionKey, queueId }: Child, parent: Run, end: RunOutcome): Promise<void> {
    const outcome = outcomeBelow(parent, end)
    const { actorOf, isExecuted, clock } = this.#deps
    await actorOf(sessionKey).transact(async (content): Promise<Plan<null>> => {
      const { entries, run } = content
      const isOver = !entries.some((entry) => entry.queueId === queueId)
      if (isOver || (run?.queueId === queueId && isExecuted(run))) return { kind: 'answer', value: null }
      if (run?.queueId === queueId) return { kind: 'change', commands: [await this.end(content, run, outcome)] }
      return { kind: 'change', commands: [endOfPrompt(queueId, outcome, clock.now())] }
    })
  }
}

type Ended = Exclude<RunOutcome, { status: 'COMPLETED' }>

/** A child ends for the reason for which its parent was stopped; of any other end it is told no more than that. */
function outcomeBelow(run: Run, outcome: RunOutcome): Ended {
  const abort = abortOf(run)
  if (abort) return abortedWith(abort.message)
  if (outcome.status === 'COMPLETED') return interrupted
  return outcome.status === 'CANCELLED' || outcome.error.code === interrupted.error.code ? outcome : interrupted
}

function endOfPrompt(queueId: Child['queueId'], { status, error }: Ended, at: number): ContentCommand {
  if (status === 'FAILED') return { type: 'reject', queueId, error, at }
  return { type: 'cancel', queueId, request: { kind: 'parent', message: error.message, by: 'harness', at } }
}
