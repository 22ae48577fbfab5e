/**
 * Asks at intervals how far the logs of some scopes reach, with one statement however many they are: the fallback for
 * signals that got lost. Owns its timer, which runs from `start` to `stop`. An attempt that fails is logged and
 * repeated.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { ScopeStore } from '../ports/stores/scopes.ts'
import type { Log } from '../ports/telemetry.ts'
import { retrying } from './retrying.ts'

/** Scopes in one statement. */
const CHUNK = 500

export interface HeadPollOptions {
  readonly scopes: Pick<ScopeStore, 'findMany'>
  readonly clock: Clock
  readonly log: Log
  readonly everyMs: number
  /** The scopes to ask for. Called before each poll. */
  readonly due: () => readonly ScopeKey[]
  readonly onHead: (scopeKey: ScopeKey, head: number) => void
}

export class HeadPoll {
  readonly #options: HeadPollOptions
  #running: AbortController | undefined

  constructor(options: HeadPollOptions) {
    this.#options = options
  }

  /** Does nothing while it runs. */
  start(): void {
    if (this.#running) return
    this.#running = new AbortController()
    this.#arm(this.#running.signal)
  }

  stop(): void {
    this.#running?.abort()
    this.#running = undefined
  }

  #arm(signal: AbortSignal): void {
    const { clock, everyMs } = this.#options
    const poll = () => {
      signal.removeEventListener('abort', cancel)
      void this.#poll(signal)
    }
    const cancel = clock.after(everyMs, poll)
    signal.addEventListener('abort', cancel, { once: true })
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, log, due } = this.#options
    const keys = due()
    for (let start = 0; start < keys.length && !signal.aborted; start += CHUNK) {
      const attempt = { clock, log, signal, what: 'Asking how far the logs of scopes reach' }
      try {
        await retrying(attempt, () => this.#ask(keys.slice(start, start + CHUNK)))
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
    if (!signal.aborted) this.#arm(signal)
  }

  async #ask(keys: readonly ScopeKey[]): Promise<void> {
    const { scopes, onHead } = this.#options
    for (const { key, sequence } of await scopes.findMany(keys)) onHead(key, sequence)
  }
}
