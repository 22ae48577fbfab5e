import type { Budget, Spent } from '../../domain/run/budget.ts'
import { exhausted } from '../../domain/run/budget.ts'
import type { RunOutcome } from '../../domain/run/outcome.ts'
import type { Clock } from '../../ports/clock.ts'

/** What a run may spend, what it had spent before, and the meter of the run that has delegated to it. */
export interface Metered {
  readonly budget: Budget | null
  readonly before: Spent
  readonly above: Meter | null
}

/**
 * Measures what a run spends, with all that it delegates.
 *
 * Its time goes while it is at work, or one that it has delegated to is: what goes on at the same time counts once. Tokens
 * are those of all of them.
 */
export class Meter {
  readonly #clock: Clock
  readonly #metered: Metered
  #tokens = 0
  #ms = 0
  /** How many are at work: the run itself, and those that it has delegated to. */
  #working = 0
  #since = 0

  constructor(clock: Clock, metered: Metered) {
    this.#clock = clock
    this.#metered = metered
  }

  /** In whole milliseconds. */
  get spent(): Spent {
    const { before } = this.#metered
    const running = this.#working > 0 ? this.#clock.monotonic() - this.#since : 0
    return {
      totalTokens: before.totalTokens + this.#tokens,
      workedMs: before.workedMs + Math.floor(this.#ms + running),
    }
  }

  /** How the run ends because nothing is left for it, or for one that delegates to it; undefined while there is. */
  get end(): RunOutcome | undefined {
    let end = exhausted(this.#metered.budget, this.spent, 'own')
    for (let { above } = this.#metered; above && !end; above = above.#metered.above) {
      end = exhausted(above.#metered.budget, above.spent, 'above')
    }
    return end
  }

  /** Somebody begins to work. */
  start(): void {
    if (this.#working++ > 0) return
    this.#since = this.#clock.monotonic()
    this.#metered.above?.start()
  }

  /** One of those at work stops. */
  stop(): void {
    if (--this.#working > 0) return
    this.#ms += this.#clock.monotonic() - this.#since
    this.#metered.above?.stop()
  }

  use(tokens: number): void {
    this.#tokens += tokens
    this.#metered.above?.use(tokens)
  }
}
