/** Knows what scope ids stand for, and the row keys of scopes. */
import { idRule } from '../domain/input-rules.ts'
import type { Scope } from '../domain/scope/scope.ts'
import { asStorageKey, type ScopeId, type ScopeKey, type StorageKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { ResolvedScope, ScopeResolver } from '../ports/scope-resolver.ts'
import type { ScopeStore } from '../ports/stores/scopes.ts'

export class Scopes {
  readonly #resolver: ScopeResolver
  readonly #store: ScopeStore
  readonly #clock: Clock
  readonly #keys = new Map<StorageKey, ScopeKey>()

  constructor(deps: { readonly resolver: ScopeResolver; readonly store: ScopeStore; readonly clock: Clock }) {
    this.#resolver = deps.resolver
    this.#store = deps.store
    this.#clock = deps.clock
  }

  /** What the id stands for; undefined when it is malformed or refused. */
  async resolve(scopeId: ScopeId, principal: string | null): Promise<ResolvedScope | undefined> {
    return idRule(scopeId) === undefined ? this.#resolver.resolve(scopeId, principal) : undefined
  }

  /** The rows of those scopes in which something was stored. One read. */
  async findNamed(storageKeys: readonly StorageKey[]): Promise<ReadonlyMap<StorageKey, Scope>> {
    const scopes = storageKeys.length === 0 ? [] : await this.#store.findNamed(storageKeys)
    return new Map(scopes.map((scope) => [scope.storageKey, scope]))
  }

  /** The key of the scope's row, if there is one. */
  async keyOf(storageKey: StorageKey): Promise<ScopeKey | undefined> {
    const known = this.#keys.get(storageKey)
    if (known !== undefined) return known
    const scope = await this.#store.find(storageKey)
    return scope && this.#remember(storageKey, scope.key)
  }

  /** The key of the scope's row, which is created when there is none. */
  async ensureKey(storageKey: StorageKey): Promise<ScopeKey> {
    const known = this.#keys.get(storageKey)
    return known ?? this.#remember(storageKey, (await this.#store.ensure(storageKey, this.#clock.now())).key)
  }

  /** Looks the key up anew the next time. */
  forget(storageKey: StorageKey): void {
    this.#keys.delete(storageKey)
  }

  #remember(storageKey: StorageKey, key: ScopeKey): ScopeKey {
    if (this.#keys.size >= MAX_KNOWN) this.#keys.clear()
    this.#keys.set(storageKey, key)
    return key
  }
}

const MAX_KNOWN = 100_000

/** Every well-formed scope id is a scope of its own. */
export const everyScope: ScopeResolver = {
  resolve: async (scopeId) => ({ storageKey: asStorageKey(scopeId), context: undefined }),
}
