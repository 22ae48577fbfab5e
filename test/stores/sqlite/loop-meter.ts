/** Watches that the event loop turns: counts the ticks of a timer and remembers the longest gap between two. */
export class LoopMeter {
  ticks = 0
  longestGapMs = 0
  readonly #timer: NodeJS.Timeout
  #last = performance.now()
  #awaited: { readonly ticks: number; readonly resolve: () => void } | undefined

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#tick(), everyMs)
  }

  /** Resolves once the timer has ticked so many times. */
  untilTicks(ticks: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { ticks, resolve }
    })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = performance.now()
    this.ticks += 1
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#last)
    this.#last = now
    if (this.#awaited && this.ticks >= this.#awaited.ticks) this.#awaited.resolve()
  }
}
