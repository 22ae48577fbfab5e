/**
 * How a commit failed.
 * - `conflict`: a compare-and-set missed; nothing changed.
 * - `fenced`: the epoch of the run is no longer current; nothing changed and nothing of that writer ever will.
 * - `notCommitted`: nothing changed, for another reason.
 * - `uncertain`: it may or may not have been committed, or may yet be. Everything that cannot be classified is uncertain.
 * - `fatal`: the store cannot be trusted any more.
 */
export type FailureClass = 'conflict' | 'fenced' | 'notCommitted' | 'uncertain' | 'fatal'

/** What stores throw. The class is the whole contract; message and cause are for the operator's log. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly failure: FailureClass

  constructor(failure: FailureClass, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }
}

/** The class of anything that a store threw. */
export const failureClassOf = (error: unknown): FailureClass =>
  error instanceof StoreFailure ? error.failure : 'uncertain'
