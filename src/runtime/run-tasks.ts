/**
 * The runs that this process executes.
 *
 * Owns one controller and one promise per run. Invariant: a run is here from the turn in which its admission became
 * durable until its end is durable or it was lost.
 */
import { type AbortReason, LinkedController } from '../kernel/abort.ts'
import type { RunId } from '../kernel/ids.ts'
import { executeRun, type RunDeps, type RunJob } from './run/execute-run.ts'
import type { Slot } from './slots.ts'

interface Task {
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

  /** True while this process executes the run. */
  has(runId: RunId): boolean {
    return this.#tasks.has(runId)
  }

  /** Begins to execute a run that was just admitted. The slot is released when it is over. */
  start(job: Omit<RunJob, 'signal'>, slot: Slot): void {
    const controller = new LinkedController()
    const { runId } = job.run
    const done = executeRun(this.#deps, { ...job, signal: controller.signal }).finally(() => {
      this.#tasks.delete(runId)
      slot.release()
    })
    this.#tasks.set(runId, { controller, done })
  }

  abort(runId: RunId, reason: AbortReason): void {
    this.#tasks.get(runId)?.controller.abort(reason)
  }

  abortAll(reason: AbortReason): void {
    for (const { controller } of this.#tasks.values()) controller.abort(reason)
  }

  /** Resolves when no run is left. */
  async drained(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all([...this.#tasks.values()].map(({ done }) => done))
  }
}
