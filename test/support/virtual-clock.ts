import type { Clock } from '../../src/ports/clock.ts'

/** Rounds of `breathe` after which `settle` takes it that something spins. */
const MOST_ROUNDS = 10_000

export interface VirtualClock extends Clock {
  /**
   * Moves time on by `ms`. What becomes due runs at its own time, in order, and everything that waits for promises
   * alone goes on in between, so a callback may start timers that fall due within the same `ms`.
   */
  advance(ms: number): Promise<void>
  /** Lets everything go on that waits for promises or breathes, without time passing. */
  settle(): Promise<void>
  /** Time stands still while `work` goes on, which may need the real world: a call of a database, say. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Timers and sleepers that still wait. */
  readonly pending: number
}

interface Timer {
  readonly due: number
  readonly callback: () => void
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time that moves only when a test says so. `now()` begins at `start`, `monotonic()` at 0. */
export function virtualClock(start = Date.UTC(2030, 0, 1)): VirtualClock {
  let elapsed = 0
  let breathing = 0
  const timers = new Set<Timer>()
  const held = new Set<Promise<unknown>>()

  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: elapsed + Math.max(0, ms), callback }
    timers.add(timer)
    return () => {
      timers.delete(timer)
    }
  }

  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      await turn()
      while (held.size > 0) await Promise.race(held).then(turn)
      if (breathing === 0) return
    }
    throw new Error('Something breathes for ever without time passing.')
  }

  const firstDue = (until: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (timer.due <= until && (!first || timer.due < first.due)) first = timer
    return first
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after,
    settle,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = after(ms, resolve)
      const wake = () => resolve()
      signal?.addEventListener('abort', wake, { once: true })
      await promise
      cancel()
      signal?.removeEventListener('abort', wake)
      signal?.throwIfAborted()
    },
    async breathe() {
      breathing++
      await turn()
      breathing--
    },
    hold(work) {
      const over = work.then(
        () => undefined,
        () => undefined,
      )
      held.add(over)
      void over.then(() => held.delete(over))
      return work
    },
    async advance(ms) {
      const until = elapsed + ms
      await settle()
      for (let timer = firstDue(until); timer; timer = firstDue(until)) {
        timers.delete(timer)
        elapsed = Math.max(elapsed, timer.due)
        timer.callback()
        await settle()
      }
      elapsed = until
      await settle()
    },
    get pending() {
      return timers.size
    },
  }
}
