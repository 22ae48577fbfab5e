import type { Clock } from '../../ports/clock.ts'

export interface IdleWatchDeps {
  readonly clock: Clock
  /** Milliseconds without a word after which it calls back; null for never. */
  readonly idleMs: number | null
  /** Called once. */
  readonly onSilent: (idleMs: number) => void
}

/** Notices that something has been silent for too long while it was watched. It is not watched before it is told so. */
export class IdleWatch {
  readonly #deps: IdleWatchDeps
  #heard = 0
  #cancel: (() => void) | undefined

  constructor(deps: IdleWatchDeps) {
    this.#deps = deps
  }

  /** Watches from now on: what was silent before does not count. */
  start(): void {
    const { idleMs } = this.#deps
    if (idleMs === null || this.#cancel) return
    this.heard()
    this.#wait(idleMs, idleMs)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** As often as it likes: no timer is touched. */
  heard(): void {
    this.#heard = this.#deps.clock.monotonic()
  }

  #wait(ms: number, idleMs: number): void {
    const { clock, onSilent } = this.#deps
    this.#cancel = clock.after(ms, () => {
      const left = this.#heard + idleMs - clock.monotonic()
      if (left > 0) this.#wait(left, idleMs)
      else onSilent(idleMs)
    })
  }
}
