/**
 * The runs that this process executes.
 *
 * Owns one controller and one promise per run. Invariant: a run is here from the turn in which its admission became
 * durable until its end is durable or it was lost.
 */
import { type AbortReason, LinkedController } from '../kernel/abort.ts'
import type { RunId } from '../kernel/ids.ts'
import { executeRun, type RunDeps, type RunJob } from './run/execute-run.ts'

interface Task {
  readonly job: Omit<RunJob, 'signal'>
  readonly controller: LinkedController
  readonly done: Promise<void>
}

export class RunTasks {
  readonly #deps: RunDeps
  readonly #tasks = new Map<RunId, Task>()

  constructor(deps: RunDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#tasks.size
  }

  /** Begins to execute a run that was just admitted. The slot is released when it is over. */
  start(job: Omit<RunJob, 'signal'>): void {
    const controller = new LinkedController()
    const { runId } = job.run
    const done = executeRun(this.#deps, { ...job, signal: controller.signal }).finally(() => {
      this.#tasks.delete(runId)
      job.slot.release()
    })
    this.#tasks.set(runId, { job, controller, done })
  }

  abort(runId: RunId, reason: AbortReason): void {
    this.#tasks.get(runId)?.controller.abort(reason)
  }

  abortAll(reason: AbortReason): void {
    for (const { controller } of this.#tasks.values()) controller.abort(reason)
  }

  /** Aborts the runs in which everything waits for people. */
  abortWaiting(reason: AbortReason): void {
    for (const { job, controller } of this.#tasks.values()) if (job.slot.isIdle) controller.abort(reason)
  }

  /** Resolves when no run is left. */
  async drained(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all([...this.#tasks.values()].map(({ done }) => done))
  }
}
