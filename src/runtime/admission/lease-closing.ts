import type { DelegatedRunLease } from '../../ports/delegated-run-admission.ts'

/**
 * Closes a lease, which may not have come yet.
 *
 * Owns the one attempt that is under way or has succeeded. Invariant: the lease is never closed twice at a time, nor after
 * that succeeded; whoever asks after a failure begins again.
 */
export class LeaseClosing {
  readonly #arrival: Promise<DelegatedRunLease | undefined>
  #attempt: Promise<void> | undefined

  /** `arrival` rejects when there will be no lease: then there is nothing to close. */
  constructor(arrival: Promise<DelegatedRunLease>) {
    this.#arrival = arrival.catch(() => undefined)
  }

  /** Resolves once the lease is closed, or never will be there. Rejects as the lease does. */
  close(): Promise<void> {
    this.#attempt ??= this.#close().catch((error: unknown) => {
      this.#attempt = undefined
      throw error
    })
    return this.#attempt
  }

  async #close(): Promise<void> {
    const lease = await this.#arrival
    await lease?.close()
  }
}
