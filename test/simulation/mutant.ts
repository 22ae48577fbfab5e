import type { Clock } from '../../src/ports/clock.ts'
import type { EventTransport } from '../../src/ports/event-transport.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { ToolProvider } from '../../src/ports/tools.ts'

/** Text alone; tools where one process owns the stores; or tools where several processes share them. */
export type WorldName = 'text' | 'alone' | 'shared'

/** A harness that is broken through one of its ports, in a way in which a real one might be. */
export interface Mutant {
  readonly crime: string
  /** Where it can be noticed; in all worlds when absent. */
  readonly world?: WorldName
  /** What the store does. */
  readonly stores?: (stores: Stores) => Stores
  /** What the harness makes of it, faults on the way included. */
  readonly seen?: (stores: Stores) => Stores
  readonly transport?: (transport: EventTransport) => EventTransport
  readonly clock?: (clock: Clock) => Clock
  readonly tools?: (tools: ToolProvider) => ToolProvider
}
