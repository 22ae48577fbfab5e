/**
 * The scopes. Owns the counter of their keys. `ensure` inserts at most once, as nothing awaits between look and insert.
 */
import type { ScopeKey } from '../../kernel/ids.ts'
import type { Scope } from '../../domain/scope/scope.ts'
import type { KeysNamed, ScopeStore } from '../../ports/stores/scopes.ts'
import { type MemoryTables, NOBODY } from './memory-tables.ts'

export function memoryScopes({ scopes }: MemoryTables): ScopeStore {
  let lastKey = 0
  return {
    async find(storageKey) {
      return scopes.get(NOBODY, storageKey)
    },

    async ensure(storageKey, at) {
      const found = scopes.get(NOBODY, storageKey)
      if (found) return found
      lastKey += 1
      const key = lastKey as ScopeKey
      const scope: Scope = { key, storageKey, revision: 0, sequence: 0, floor: 0, createdAt: at }
      scopes.insert(scope)
      return scopes.get(NOBODY, storageKey) ?? scope
    },

    async findNamed(storageKeys) {
      return [...new Set(storageKeys)].flatMap((storageKey) => scopes.get(NOBODY, storageKey) ?? [])
    },

    async findMany(keys) {
      return [...new Set(keys)].flatMap((key) => scopes.byId(String(key)) ?? [])
    },

    async page(after, limit, among) {
      return scopes
        .all()
        .filter(({ key }) => after === undefined || key > after)
        .filter(({ storageKey }) => !among || isAmong(among, storageKey))
        .toSorted((a, b) => a.key - b.key)
        .slice(0, limit)
    },
  }
}

const isAmong = ({ exact, beginnings }: KeysNamed, storageKey: string): boolean =>
  exact.includes(storageKey) || beginnings.some((beginning) => storageKey.startsWith(beginning))
