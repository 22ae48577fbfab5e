/** The right to run, until it is released. Releasing twice is harmless. */
export interface Slot {
  release(): void
}

interface Waiting {
  readonly grant: (slot: Slot) => void
}

/**
 * Bounds how many runs there are at a time.
 *
 * Owns the count and the lines of those who wait. Fair: first come, first served, and every session stands in line at most
 * once, so that a session with a long queue cannot keep the others from their turn. Runs that gave up their slot while
 * they waited for somebody go on before new ones begin.
 */
export class Slots {
  readonly #limit: number
  readonly #line = new Set<Waiting>()
  readonly #returning = new Set<Waiting>()
  #taken = 0
  #isClosed = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A slot at once, or undefined when none is free or somebody waits. */
  tryTake(): Slot | undefined {
    return this.#isClosed || this.#isFull ? undefined : this.#take()
  }

  /** Calls `grant` once, now or later, unless the result is called before. */
  wait(grant: (slot: Slot) => void): () => void {
    if (this.#isClosed) return () => undefined
    return this.#stand(this.#line, grant)
  }

  /** The same for a run that had a slot before: ahead of those that have not begun. */
  waitToReturn(grant: (slot: Slot) => void): () => void {
    return this.#stand(this.#returning, grant)
  }

  /** Lets nothing new begin. What had begun still comes back. */
  close(): void {
    this.#isClosed = true
    this.#line.clear()
  }

  get #isFull(): boolean {
    return this.#taken >= this.#limit || this.#line.size + this.#returning.size > 0
  }

  #stand(line: Set<Waiting>, grant: (slot: Slot) => void): () => void {
    if (!this.#isFull) {
      grant(this.#take())
      return () => undefined
    }
    const waiting: Waiting = { grant }
    line.add(waiting)
    return () => {
      line.delete(waiting)
    }
  }

  #take(): Slot {
    this.#taken++
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        this.#taken--
        this.#serve()
      },
    }
  }

  #serve(): void {
    const [next] = this.#returning.size > 0 ? this.#returning : this.#line
    if (!next) return
    this.#returning.delete(next)
    this.#line.delete(next)
    next.grant(this.#take())
  }
}
