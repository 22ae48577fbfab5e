import type { ScopeKey, StorageKey } from '../../kernel/ids.ts'

/** What a scope's row says. */
export interface Scope {
  readonly key: ScopeKey
  readonly storageKey: StorageKey
  /** Raised by one by every structural change. */
  readonly revision: number
  /** The sequence of the newest event; 0 before the first. */
  readonly sequence: number
  /** Events up to this sequence are no longer kept. */
  readonly floor: number
  readonly createdAt: number
}
