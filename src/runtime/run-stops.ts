import type { RunOutcome } from '../domain/run/outcome.ts'
import type { AbortRequest, Run } from '../domain/run/run.ts'
import type { ContentCommand } from '../domain/session/commands.ts'
import type { Clock } from '../ports/clock.ts'
import type { Stores } from '../ports/stores/stores.ts'
import { durableTexts } from './durable-texts.ts'

export interface RunStopsDeps {
  readonly stores: Pick<Stores, 'messages'>
  readonly clock: Clock
  /** Whether this process executes the run. */
  readonly isExecuted: (run: Run) => boolean
}

/** The commands by which runs are stopped from outside. Fails as the stores do. */
export class RunStops {
  readonly #deps: RunStopsDeps

  constructor(deps: RunStopsDeps) {
    this.#deps = deps
  }

  /** Asks the run to stop; one that nobody executes here is ended. */
  async stop(run: Run, request: AbortRequest): Promise<ContentCommand> {
    if (this.#deps.isExecuted(run)) return { type: 'abort', runId: run.runId, request }
    const error = { code: 'ABORTED', message: request.message, source: 'harness' }
    return this.end(run, { status: 'CANCELLED', error })
  }

  async end(run: Run, outcome: RunOutcome): Promise<ContentCommand> {
    const { stores, clock } = this.#deps
    const texts = await durableTexts(stores, run)
    return { type: 'conclude', run: { runId: run.runId, epoch: run.epoch }, outcome, texts, at: clock.now() }
  }
}
