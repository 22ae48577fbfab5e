import type { ScopeKey, StorageKey } from '../../kernel/ids.ts'
import type { Scope } from '../../domain/scope/scope.ts'

/** Storage keys: those that are listed, and all that begin with one of the texts. */
export interface KeysNamed {
  readonly exact: readonly string[]
  readonly beginnings: readonly string[]
}

export interface ScopeStore {
  find(storageKey: StorageKey): Promise<Scope | undefined>
  /** The scope, created empty when it does not exist. Safe to race. */
  ensure(storageKey: StorageKey, at: number): Promise<Scope>
  /** Those of the scopes that exist, in any order. */
  findNamed(storageKeys: readonly StorageKey[]): Promise<readonly Scope[]>
  findMany(keys: readonly ScopeKey[]): Promise<readonly Scope[]>
  /** By row key, ascending, after `after`; only those with a storage key that is `among` them, if that is given. */
  page(after: ScopeKey | undefined, limit: number, among?: KeysNamed): Promise<readonly Scope[]>
}
