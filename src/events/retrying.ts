import { CursorExpired } from '../ports/subscriptions.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/telemetry.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 5_000

export interface Retrying {
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** What is tried, for the log, such as `Reading the events of a scope`. */
  readonly what: string
}

/**
 * Repeats an attempt that fails, with growing pauses and a line in the log, until it succeeds. Gives up with the
 * signal's reason when that aborts, and at once with `CursorExpired`, which no repetition cures.
 */
export async function retrying<T>({ clock, log, signal, what }: Retrying, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CursorExpired) throw error
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
      log.warn({ err: error, failures: failures + 1, pauseMs: pause }, `${what} failed and is tried again.`)
      await clock.sleep(pause, signal)
    }
  }
}
