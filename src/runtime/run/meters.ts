import type { RunId } from '../../kernel/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import { Meter, type Metered } from './meter.ts'

/**
 * The meters of the runs that are executed here, by which a run finds that of the one that has delegated to it: a run that
 * was delegated is executed where its call waits for it.
 */
export class Meters {
  readonly #clock: Clock
  readonly #meters = new Map<RunId, Meter>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The meter of a run from now on. `parent` is the run that has delegated to it. */
  open(runId: RunId, parent: RunId | null, metered: Omit<Metered, 'above'>): Meter {
    const above = parent === null ? null : (this.#meters.get(parent) ?? null)
    const meter = new Meter(this.#clock, { ...metered, above })
    this.#meters.set(runId, meter)
    return meter
  }

  /** The run is over, or goes on elsewhere. */
  close(runId: RunId, meter: Meter): void {
    if (this.#meters.get(runId) === meter) this.#meters.delete(runId)
  }
}
