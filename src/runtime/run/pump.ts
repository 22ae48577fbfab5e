/**
 * Takes what a model streams, as fast as it comes, without keeping timers and sockets waiting.
 *
 * An abort is obeyed at once, whether or not the model obeys it: the stream is told to end and is abandoned.
 */
import type { Clock } from '../../ports/clock.ts'
import { raced } from './raced.ts'

/** How long it may go on without letting the event loop turn. */
const MAX_STRETCH_MS = 4

/** Calls `take` for each item, in order, one after another. Rejects as the stream does, or with the signal's reason. */
export async function pump<T>(
  clock: Clock,
  { stream, signal }: { readonly stream: AsyncIterable<T>; readonly signal: AbortSignal },
  take: (item: T) => void | Promise<void>,
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  let isOver = false
  let breathed = clock.monotonic()
  try {
    for (;;) {
      const item = await raced(signal, iterator.next())
      if (item.done) {
        isOver = true
        return
      }
      const taken = take(item.value)
      if (taken) await taken
      if (clock.monotonic() - breathed < MAX_STRETCH_MS) continue
      await clock.breathe()
      breathed = clock.monotonic()
    }
  } finally {
    if (!isOver) abandon(iterator)
  }
}

/** A stream that ignores its signal must not hold the run, so nobody waits for its end. */
function abandon(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => undefined)
}
