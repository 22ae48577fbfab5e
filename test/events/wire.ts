import type { EventTransport, Signal } from '../../src/ports/event-transport.ts'

export type Fate = 'arrive' | 'get lost' | 'arrive twice' | 'arrive empty'

export interface Wire {
  readonly transport: (inner: EventTransport) => EventTransport
  /** Decides over one of the signals that are under way; `which` counts round. */
  readonly deliver: (which: number, fate: Fate) => void
  readonly setDeltaFate: (fate: Fate) => void
}

/** A transport on which signals of growth stay under way until a test decides what becomes of them. */
export function wire(): Wire {
  const underWay: Signal[] = []
  let publish: ((signal: Signal) => void) | undefined
  let deltaFate: Fate = 'arrive'
  const arrive = (signal: Signal, fate: Fate): void => {
    if (fate === 'get lost') return
    publish?.(fate === 'arrive empty' && signal.type === 'grown' ? { ...signal, events: [] } : signal)
    if (fate === 'arrive twice') publish?.(signal)
  }
  return {
    transport(inner) {
      publish = (signal) => inner.publish(signal)
      return {
        listen: (listener) => inner.listen(listener),
        publish(signal) {
          if (signal.type === 'grown') underWay.push(signal)
          else arrive(signal, deltaFate)
        },
      }
    },
    deliver(which, fate) {
      const [signal] = underWay.splice(which % Math.max(1, underWay.length), 1)
      if (signal) arrive(signal, fate)
    },
    setDeltaFate(fate) {
      deltaFate = fate
    },
  }
}
