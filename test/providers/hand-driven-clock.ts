import type { Clock } from '../../src/ports/clock.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'

/** Somebody who sleeps. */
export interface Sleep {
  readonly ms: number
  wake(): void
}

export interface HandDrivenClock extends Clock {
  /** The sleeper with this index, once there is one. */
  slept(index: number): Promise<Sleep>
  readonly sleeps: readonly Sleep[]
}

/** The real time, but who sleeps sleeps until a test wakes him. */
export function handDrivenClock(): HandDrivenClock {
  const sleeps: Sleep[] = []
  const awaited = new Map<number, PromiseWithResolvers<Sleep>>()
  return {
    ...systemClock,
    sleeps,
    slept: async (index) => {
      const coming = awaited.get(index) ?? Promise.withResolvers<Sleep>()
      awaited.set(index, coming)
      return sleeps[index] ?? coming.promise
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleep = { ms, wake: resolve }
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        awaited.get(sleeps.push(sleep) - 1)?.resolve(sleep)
      }),
  }
}
