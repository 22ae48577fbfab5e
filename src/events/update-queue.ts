/**
 * What waits for a consumer who does not ask for it, in the order in which it may be delivered. Owns at most 256
 * updates with 1 MiB of text plus the one that makes it overfull; what then becomes of it is the subscriber's
 * decision.
 */
import type { EventUpdate } from '../ports/subscriptions.ts'

const MAX_UPDATES = 256
const MAX_BYTES = 1024 * 1024

export class UpdateQueue {
  readonly #updates: EventUpdate[] = []
  #bytes = 0

  push(update: EventUpdate): void {
    this.#updates.push(update)
    this.#bytes += textBytes(update)
  }

  shift(): EventUpdate | undefined {
    const first = this.#updates.shift()
    if (first) this.#bytes -= textBytes(first)
    return first
  }

  clear(): void {
    this.#updates.length = 0
    this.#bytes = 0
  }

  get isEmpty(): boolean {
    return this.#updates.length === 0
  }

  get isOverfull(): boolean {
    return this.#updates.length > MAX_UPDATES || this.#bytes > MAX_BYTES
  }

  /** The sequence of the first event that waits. */
  get firstSequence(): number | undefined {
    return this.#updates.find((update) => update.type === 'event')?.event.sequence
  }
}

/** Events are small and shared with other queues; texts may be neither. */
function textBytes(update: EventUpdate): number {
  if (update.type === 'delta') return update.delta.totalBytes - update.delta.baseBytes
  return update.type === 'snapshot' ? update.totalBytes : 0
}
