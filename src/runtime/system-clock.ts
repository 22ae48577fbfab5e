/**
 * The Clock port on the timers of the platform. Owns nothing. Waits of any length hold: the platform's own timers fire at
 * once when they are asked to wait longer than 2^31 ms, so long waits go in steps.
 * `sleep` keeps the process alive, since somebody awaits it; `after` does not.
 */
import type { Clock } from '../ports/clock.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

type Wait = { readonly ms: number; readonly holds: 'the process' | 'nothing' }

/** Calls back once; the result cancels. */
function start({ ms, holds }: Wait, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = (left: number): void => {
    const step = Math.min(left, LONGEST_TIMER_MS)
    timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step)
    if (holds === 'nothing') timer.unref()
  }
  arm(ms)
  return () => clearTimeout(timer)
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = start({ ms, holds: 'the process' }, resolve)
    const wake = () => resolve()
    signal?.addEventListener('abort', wake, { once: true })
    await promise
    cancel()
    signal?.removeEventListener('abort', wake)
    signal?.throwIfAborted()
  },
  after: (ms, callback) => start({ ms, holds: 'nothing' }, callback),
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
}
