import { LinkedController } from '../../kernel/abort.ts'
import type { HeldLease } from './acquire-lease.ts'

/**
 * The lease of one delegated run, from before the run exists until it has ended.
 *
 * Owns the signal that the application sees, which aborts with everything that makes the run unwanted.
 */
export class RunLease {
  readonly #acquire: (signal: AbortSignal) => Promise<HeldLease>
  readonly #wanted = new LinkedController()
  #held: HeldLease | undefined

  constructor(acquire: (signal: AbortSignal) => Promise<HeldLease>) {
    this.#acquire = acquire
  }

  /**
   * Gets the lease, unless there is one; from now on `signal` stops the run. Rejects with what the application threw, or
   * with the reason of an abort.
   */
  async enter(signal: AbortSignal): Promise<void> {
    this.#wanted.follow(signal)
    this.#held ??= await this.#acquire(this.#wanted.signal)
  }

  /** Resolves once the lease is closed, or when there is none. Rejects when it could not be: others will try again. */
  async close(): Promise<void> {
    this.#wanted[Symbol.dispose]()
    await this.#held?.close()
  }
}
