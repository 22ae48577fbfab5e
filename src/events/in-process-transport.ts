/**
 * The EventTransport of a single process: calls the listeners at once, in the order in which they came.
 * Loses, repeats and reorders nothing. A listener that throws is logged; the publisher and the others do not notice.
 */
import type { EventTransport, Signal } from '../ports/event-transport.ts'
import type { Log } from '../ports/telemetry.ts'

export interface InProcessTransport extends EventTransport {
  /** Listeners that are attached, for tests and metrics. */
  readonly listeners: number
}

export function inProcessTransport({ log }: { readonly log: Log }): InProcessTransport {
  // One entry per call: the same function may listen twice.
  const listeners = new Set<{ readonly hear: (signal: Signal) => void }>()
  return {
    publish(signal) {
      for (const listener of listeners) {
        try {
          listener.hear(signal)
        } catch (error) {
          log.error({ err: error, signal: signal.type }, 'A listener of the event transport failed.')
        }
      }
    },
    listen(hear) {
      const listener = { hear }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    get listeners() {
      return listeners.size
    },
  }
}
