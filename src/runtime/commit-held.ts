import type { ScopeKey } from '../kernel/ids.ts'
import { StoreFailure } from '../ports/stores/failure.ts'

/** A commit that was never sent to the store, because an earlier one of its scope is lost. Nothing changed. */
export class CommitHeld extends StoreFailure {
  readonly scopeKey: ScopeKey

  constructor(scopeKey: ScopeKey, cause: unknown) {
    super('fatal', 'The fate of an earlier commit of the scope is not known.', cause)
    this.scopeKey = scopeKey
  }
}
