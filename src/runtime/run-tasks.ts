/**
 * The runs that this process executes.
 *
 * Owns one controller and one promise per run. Invariant: a run is here from the turn in which its admission became
 * durable until its end is durable, it was lost, or its end was handed on as one that could not be made durable.
 */
import { AbortReason, LinkedController } from '../kernel/abort.ts'
import type { RunId, ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { Run } from '../domain/run/run.ts'
import { isWithin } from '../domain/session/session.ts'
import { executeRun, type RunDeps } from './run/execute-run.ts'
import type { RunJob } from './run/run-job.ts'
import { Meters } from './run/meters.ts'

export type StartedRun = Omit<RunJob, 'signal' | 'patience'>

export interface RunTasksDeps extends Omit<RunDeps, 'meters'> {
  /** Takes over a run whose end could not be made durable. */
  readonly onUnended: (run: StartedRun) => void
}

interface Task {
  readonly job: StartedRun
  readonly controller: LinkedController
  readonly done: Promise<void>
}

export class RunTasks {
  readonly #deps: RunTasksDeps
  readonly #tasks = new Map<RunId, Task>()
  /** How many of them each session has: one, but for a moment after a run was taken over and came back. */
  readonly #sessions = new Map<SessionKey, number>()
  readonly #meters: Meters
  readonly #patience = new AbortController()
  /** Why runs that begin from now on are aborted at once. */
  #ending: AbortReason | undefined

  constructor(deps: RunTasksDeps) {
    this.#deps = deps
    this.#meters = new Meters(deps.clock)
  }

  /** True while this process executes the run. */
  has(runId: RunId): boolean {
    return this.#tasks.has(runId)
  }

  /** The sessions whose runs are executed here. */
  sessions(): Iterable<SessionKey> {
    return this.#sessions.keys()
  }

  /** Whether a run of the session is executed here. */
  hasIn(key: SessionKey): boolean {
    return this.#sessions.has(key)
  }

  /** Stops executing runs of the session that are not the one that is stored: another process goes on with them. */
  lose(key: SessionKey, stored: Run | null): void {
    for (const { job, controller } of this.#tasks.values()) {
      const isCurrent = stored?.runId === job.run.runId && stored.epoch === job.run.epoch
      if (job.session.key === key && !isCurrent) controller.abort(new AbortReason('lost', 'The run is executed elsewhere.'))
    }
  }

  /** Aborts what is executed of these sessions, in their order. */
  abortEach(keys: readonly SessionKey[], reason: AbortReason): void {
    if (this.#tasks.size === 0) return
    const tasks = Map.groupBy(this.#tasks.values(), ({ job }) => job.session.key)
    for (const key of keys) for (const { controller } of tasks.get(key) ?? []) controller.abort(reason)
  }

  /** Resolves when nothing of these sessions is executed any more. */
  async drainedIn(keys: ReadonlySet<SessionKey>): Promise<void> {
    const left = () => [...this.#tasks.values()].filter(({ job }) => keys.has(job.session.key))
    for (let tasks = left(); tasks.length > 0; tasks = left()) await Promise.all(tasks.map(({ done }) => done))
  }

  /** Begins to execute a run that was just admitted. The slot is released when it is over. */
  start(job: StartedRun): void {
    const controller = new LinkedController()
    const { runId } = job.run
    const { signal: patience } = this.#patience
    const done = executeRun({ ...this.#deps, meters: this.#meters }, { ...job, signal: controller.signal, patience }).then((ending) => {
      if (ending === 'unended') this.#deps.onUnended(job)
      this.#tasks.delete(runId)
      this.#count(job.session.key, -1)
      job.slot.release()
      this.#deps.desk.childEnded(job.run.queueId)
    })
    this.#tasks.set(runId, { job, controller, done })
    this.#count(job.session.key, 1)
    if (this.#ending) controller.abort(this.#ending)
  }

  abort(runId: RunId, reason: AbortReason): void {
    this.#tasks.get(runId)?.controller.abort(reason)
  }

  /** Aborts the runs of the scope. */
  abortAll(reason: AbortReason, scopeKey: ScopeKey): void {
    for (const { controller } of this.#of(scopeKey)) controller.abort(reason)
  }

  /** Aborts all runs, also those of which the beginning becomes durable later. */
  end(reason: AbortReason): void {
    this.#ending = reason
    for (const { controller } of this.#tasks.values()) controller.abort(reason)
  }

  /** Aborts the runs in which everything waits for people, also below the children that are waited for. */
  abortWaiting(reason: AbortReason): void {
    const tasks = [...this.#tasks.values()]
    const working = tasks.filter(({ job }) => !job.slot.isIdle).map(({ job }) => job.session.place.path)
    for (const { job, controller } of tasks) {
      if (!working.some((path) => isWithin(job.session.place.path, path))) controller.abort(reason)
    }
  }

  /** From now on the end of a run is not tried again when it could not be made durable. */
  losePatience(): void {
    this.#patience.abort()
  }

  /**
   * Resolves when no run of the scope is left, or none at all. All are awaited at once: a run that waits for another one
   * is never waited for alone.
   */
  async drained(scopeKey?: ScopeKey): Promise<void> {
    for (let left = this.#of(scopeKey); left.length > 0; left = this.#of(scopeKey)) {
      await Promise.all(left.map(({ done }) => done))
    }
  }

  #count(key: SessionKey, change: 1 | -1): void {
    const count = (this.#sessions.get(key) ?? 0) + change
    if (count > 0) this.#sessions.set(key, count)
    else this.#sessions.delete(key)
  }

  #of(scopeKey: ScopeKey | undefined): readonly Task[] {
    const tasks = [...this.#tasks.values()]
    return scopeKey === undefined ? tasks : tasks.filter(({ job }) => job.session.scopeKey === scopeKey)
  }
}
