import type { Slot, Slots } from './slots.ts'

/**
 * The slot of one run, which it gives up while everything in it waits for somebody.
 *
 * Owns the count of the pieces of work that the run consists of at the moment, and of those that wait. Invariant: without
 * a slot nothing of the run is at work, but for what has just been answered and stands in line to come back.
 */
export class RunSlot {
  readonly #slots: Slots
  #slot: Slot | undefined
  #pieces = 1
  #waiting = 0
  #line: { readonly back: Promise<void>; readonly leave: () => void } | undefined

  constructor(slots: Slots, slot: Slot) {
    this.#slots = slots
    this.#slot = slot
  }

  /** From now on the run consists of `pieces`, at least one, which end one after another by `join`. */
  split(pieces: number): void {
    this.#pieces = pieces
  }

  /** A piece has ended. The last one goes on as the run. */
  join(): void {
    if (this.#pieces > 1) this.#pieces--
    this.#giveUpIfIdle()
  }

  /** The result of `wait`, which is for somebody else to bring about. Comes back into a slot first, unless `signal` aborts. */
  async whileWaiting<T>(signal: AbortSignal, wait: Promise<T>): Promise<T> {
    this.#waiting++
    this.#giveUpIfIdle()
    try {
      return await wait
    } finally {
      this.#waiting--
      await this.#comeBack(signal)
    }
  }

  /** Gives the slot up for good. */
  release(): void {
    this.#line?.leave()
    this.#slot?.release()
    this.#slot = undefined
  }

  #giveUpIfIdle(): void {
    if (this.#waiting < this.#pieces) return
    this.#slot?.release()
    this.#slot = undefined
  }

  /** A run that is told to stop does so without a slot: it must not wait for the others. */
  async #comeBack(signal: AbortSignal): Promise<void> {
    if (this.#slot || signal.aborted) return
    this.#line ??= this.#stand()
    const { back, leave } = this.#line
    signal.addEventListener('abort', leave, { once: true })
    await back
    signal.removeEventListener('abort', leave)
  }

  #stand(): { readonly back: Promise<void>; readonly leave: () => void } {
    const { promise: back, resolve } = Promise.withResolvers<void>()
    const leaveLine = this.#slots.waitToReturn((slot) => {
      this.#slot = slot
      this.#line = undefined
      resolve()
    })
    const leave = () => {
      leaveLine()
      this.#line = undefined
      resolve()
    }
    return { back, leave }
  }
}
