/**
 * Waits for scopes in which nothing has been stored yet, without creating anything. Owns who waits, and asks the store
 * for all of them by one statement: at once when somebody comes, when it is told that a scope may have begun, and at
 * intervals, as that may get lost. An attempt that fails is logged and repeated. Nothing runs while nobody waits.
 */
import type { ScopeKey, StorageKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { ScopeStore } from '../ports/stores/scopes.ts'
import type { Log } from '../ports/telemetry.ts'
import { retrying } from './retrying.ts'

/** Scopes in one statement. */
const CHUNK = 500

type Found = (scopeKey: ScopeKey) => void

export interface AwaitedScopesOptions {
  readonly scopes: Pick<ScopeStore, 'findNamed'>
  readonly clock: Clock
  readonly log: Log
  readonly everyMs: number
}

export class AwaitedScopes {
  readonly #options: AwaitedScopesOptions
  readonly #waiting = new Map<StorageKey, Set<Found>>()
  #running: AbortController | undefined
  #isDue = false
  #wake: (() => void) | undefined

  constructor(options: AwaitedScopesOptions) {
    this.#options = options
  }

  /** Calls back once, when the scope exists, unless the result is called before. */
  wait(storageKey: StorageKey, callback: Found): () => void {
    // One entry per call: the same function may wait twice.
    const found: Found = (scopeKey) => callback(scopeKey)
    const others = this.#waiting.get(storageKey) ?? new Set()
    this.#waiting.set(storageKey, others.add(found))
    this.look()
    return () => {
      others.delete(found)
      if (others.size === 0 && this.#waiting.get(storageKey) === others) this.#waiting.delete(storageKey)
      if (this.#waiting.size === 0) this.#stop()
    }
  }

  /** Some scope may have begun. */
  look(): void {
    if (this.#waiting.size === 0) return
    this.#isDue = true
    this.#wake?.()
    if (this.#running) return
    this.#running = new AbortController()
    void this.#watch(this.#running.signal)
  }

  #stop(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#wake?.()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    const attempt = { clock, log, signal, what: 'Asking whether scopes have begun' }
    while (!signal.aborted) {
      this.#isDue = false
      try {
        await retrying(attempt, () => this.#ask())
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (!signal.aborted && !this.#isDue) await this.#pause()
    }
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.after(this.#options.everyMs, resolve)
    this.#wake = () => {
      this.#wake = undefined
      cancel()
      resolve()
    }
    return promise
  }

  async #ask(): Promise<void> {
    const keys = [...this.#waiting.keys()]
    for (let start = 0; start < keys.length; start += CHUNK) {
      const scopes = await this.#options.scopes.findNamed(keys.slice(start, start + CHUNK))
      for (const { key, storageKey } of scopes) this.#found(storageKey, key)
    }
  }

  #found(storageKey: StorageKey, scopeKey: ScopeKey): void {
    const waiting = this.#waiting.get(storageKey) ?? []
    this.#waiting.delete(storageKey)
    for (const found of waiting) found(scopeKey)
    if (this.#waiting.size === 0) this.#stop()
  }
}
