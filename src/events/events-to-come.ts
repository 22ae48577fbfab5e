/**
 * The events of a scope in which nothing has been stored yet: waits for the scope, then hands on a subscription that
 * begins before its first event, so that nothing is missed however late it learns of it. Owns that subscription.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventUpdate } from '../ports/subscriptions.ts'
import { Outlet } from './outlet.ts'

type Updates = AsyncIterableIterator<EventUpdate>

export interface EventsToComeOptions {
  /** Calls back when the scope exists, unless the result is called before. */
  readonly wait: (found: (scopeKey: ScopeKey) => void) => () => void
  /** Everything that happens in the scope, from its first event on. */
  readonly open: (scopeKey: ScopeKey) => Promise<Updates>
  readonly clock: Clock
  /** After how long without an event the consumer is given a cursor. */
  readonly quietMs: number
  /** It no longer waits: it has found its scope, or is over. */
  readonly onSettled: (settled: EventsToCome) => void
}

export class EventsToCome {
  readonly updates: Outlet<EventUpdate>
  readonly #options: EventsToComeOptions
  readonly #stopWaiting: () => void
  #source: Updates | undefined
  #isOver = false
  #isPulling = false
  #cursorGivenAt: number
  #cancelTimer: (() => void) | undefined

  constructor(options: EventsToComeOptions) {
    this.#options = options
    this.#cursorGivenAt = options.clock.monotonic()
    this.updates = new Outlet({ pulled: () => this.#serve(), left: () => this.#leave() })
    this.#stopWaiting = options.wait((scopeKey) => void this.#begin(scopeKey))
  }

  /** Ends the subscription while it waits. */
  end(): void {
    this.updates.end()
    this.#leave()
  }

  async #begin(scopeKey: ScopeKey): Promise<void> {
    try {
      const source = await this.#options.open(scopeKey)
      if (this.#isOver) return void source.return?.()
      this.#source = source
      this.#settle()
      this.#serve()
    } catch (error) {
      this.updates.fail(error)
      this.#leave()
    }
  }

  #serve(): void {
    if (this.#source) return void this.#pull(this.#source)
    const { clock, quietMs } = this.#options
    const rest = this.#cursorGivenAt + quietMs - clock.monotonic()
    this.#cancelTimer ??= clock.after(Math.max(0, rest), () => {
      this.#cancelTimer = undefined
      this.#cursorGivenAt = clock.monotonic()
      this.updates.answer({ type: 'advanced', sequence: 0, timestamp: clock.now() })
      if (this.updates.isAwaited) this.#serve()
    })
  }

  async #pull(source: Updates): Promise<void> {
    if (this.#isPulling) return
    this.#isPulling = true
    try {
      while (this.updates.isAwaited) {
        const step = await source.next()
        if (step.done === true) return this.updates.end()
        this.updates.answer(step.value)
      }
    } catch (error) {
      this.updates.fail(error)
    } finally {
      this.#isPulling = false
    }
  }

  #leave(): void {
    this.#isOver = true
    this.#stopWaiting()
    this.#settle()
    void this.#source?.return?.()
  }

  #settle(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#options.onSettled(this)
  }
}
