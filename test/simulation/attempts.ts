import type { RunId } from '../../src/kernel/ids.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** One attempt of a run, from its admission or resumption on. */
export interface RunAttempt {
  readonly epoch: number
  readonly owner: string
  /** The first part that it may have opened. */
  readonly from: number
  readonly since: number
}

/** Which processes have executed which run. */
export class Attempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #of = new Map<RunId, RunAttempt[]>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** To be called for each run after each commit. */
  note({ runId, epoch, owner, partCount: from }: Run): void {
    const attempts = this.#of.get(runId) ?? []
    this.#of.set(runId, attempts)
    if (attempts.at(-1)?.epoch !== epoch) attempts.push({ epoch, owner, from, since: this.#clock.monotonic() })
  }

  /** How often a run was begun again. */
  get resumptions(): number {
    return [...this.#of.values()].reduce((sum, attempts) => sum + attempts.length - 1, 0)
  }

  of(runId: RunId): readonly RunAttempt[] {
    return this.#of.get(runId) ?? []
  }

  /** The epoch of the last attempt of a process; 0 when there is none. */
  epochOf(runId: RunId, owner: string): number {
    return this.of(runId).findLast((attempt) => attempt.owner === owner)?.epoch ?? 0
  }
}
