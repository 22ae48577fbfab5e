/**
 * The lives of the scopes that are in use.
 *
 * Owns those that do not simply take work; the others live as long as somebody holds them, since nobody can tell a
 * forgotten life that takes work from a new one. Invariant: of a scope there is at most one life that has not ended.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import { fenceOf } from '../domain/scope/lifecycle.ts'
import { ScopeLife } from './scope-life.ts'

export class ScopeLives {
  readonly #lives = new Map<ScopeKey, WeakRef<ScopeLife>>()
  readonly #held = new Set<ScopeLife>()
  readonly #forgotten = new FinalizationRegistry<ScopeKey>((scopeKey) => {
    if (!this.find(scopeKey)) this.#lives.delete(scopeKey)
  })

  /** The life of the scope, which begins now if there is none. */
  of(scopeKey: ScopeKey): ScopeLife {
    const known = this.find(scopeKey)
    if (known) return known
    const life = new ScopeLife(scopeKey, (changed) => this.#keep(changed))
    this.#lives.set(scopeKey, new WeakRef(life))
    this.#forgotten.register(life, scopeKey)
    return life
  }

  /** The life of the scope, if it is known here; one that is not takes work. */
  find(scopeKey: ScopeKey): ScopeLife | undefined {
    return this.#lives.get(scopeKey)?.deref()
  }

  /** The lives over which a fence stands. */
  get fenced(): readonly ScopeLife[] {
    return [...this.#held].filter(({ state }) => fenceOf(state))
  }

  #keep(life: ScopeLife): void {
    const { kind } = life.state
    if (kind === 'fenced' || kind === 'retiring') this.#held.add(life)
    else this.#held.delete(life)
    if (kind === 'retired') this.#lives.delete(life.scopeKey)
  }
}
