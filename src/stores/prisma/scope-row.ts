import type { ScopeKey, StorageKey } from '../../kernel/ids.ts'
import type { Scope } from '../../domain/scope/scope.ts'
import type { Scope as ScopeModel } from './generated/sqlite/client.ts'

export const scopeOf = ({ key, storageKey, revision, sequence, floor, createdAt }: ScopeModel): Scope => ({
  key: Number(key) as ScopeKey,
  storageKey: storageKey as StorageKey,
  revision: Number(revision),
  sequence: Number(sequence),
  floor: Number(floor),
  createdAt: Number(createdAt),
})
