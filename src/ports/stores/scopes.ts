import type { ScopeKey, StorageKey } from '../../kernel/ids.ts'
import type { Scope } from '../../domain/scope/scope.ts'

export interface ScopeStore {
  find(storageKey: StorageKey): Promise<Scope | undefined>
  /** The scope, created empty when it does not exist. Safe to race. */
  ensure(storageKey: StorageKey, at: number): Promise<Scope>
  findMany(keys: readonly ScopeKey[]): Promise<readonly Scope[]>
  /** By row key, ascending, after `after`. */
  page(after: ScopeKey | undefined, limit: number): Promise<readonly Scope[]>
}
