import type { Slot, Slots } from './slots.ts'

/** A place in the line of those who come back. It is over when there is a slot, or when it was left. */
interface Line {
  readonly over: Promise<void>
  readonly leave: () => void
}

/** Whether the run has a slot, and so is at work. */
type Watcher = (turn: 'at work' | 'waiting') => void

/**
 * The slot of one run, which it gives up while everything in it waits for somebody.
 *
 * Owns the count of the pieces of work that the run consists of at the moment, and of those that wait. Invariant: without
 * a slot nothing of the run is at work, but for what has just been answered and stands in line to come back. A run that is
 * over holds none, whatever of it comes back.
 */
export class RunSlot {
  readonly #slots: Slots
  /** Undefined when it has none yet. */
  #slot: Slot | undefined
  #pieces = 1
  #waiting = 0
  #line: Line | undefined
  #isOver = false
  #watcher: Watcher | undefined

  constructor(slots: Slots, slot: Slot | undefined) {
    this.#slots = slots
    this.#slot = slot
  }

  /** Whether everything in the run waits for somebody. */
  get isIdle(): boolean {
    return this.#waiting >= this.#pieces
  }

  /** Gets a slot for a run that had one before it lost its process. Without one, if `signal` aborts. */
  async enter(signal: AbortSignal): Promise<void> {
    await this.#comeBack(signal)
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

  /** Tells when the run begins to work and when it stops, until the result is called; then it has stopped. One watches. */
  watch(watcher: Watcher): () => void {
    this.#watcher = watcher
    if (this.#slot) watcher('at work')
    return () => {
      this.#watcher = undefined
      if (this.#slot) watcher('waiting')
    }
  }

  /** Gives the slot up for good: what of the run comes back later does so without one. */
  release(): void {
    this.#isOver = true
    this.#line?.leave()
    this.#giveUp()
  }

  #giveUpIfIdle(): void {
    if (this.isIdle) this.#giveUp()
  }

  #giveUp(): void {
    const slot = this.#slot
    if (!slot) return
    this.#slot = undefined
    this.#watcher?.('waiting')
    slot.release()
  }

  /** A run that is told to stop does so without a slot: it must not wait for the others. */
  async #comeBack(signal: AbortSignal): Promise<void> {
    if (this.#slot || this.#isOver || signal.aborted) return
    const line = this.#line ?? this.#stand()
    signal.addEventListener('abort', line.leave, { once: true })
    await line.over
    signal.removeEventListener('abort', line.leave)
  }

  #stand(): Line {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const leave = () => {
      leaveSlots()
      if (this.#line === line) this.#line = undefined
      end()
    }
    const line: Line = { over, leave }
    // Known before the slot may be granted, which can be at once.
    this.#line = line
    const leaveSlots = this.#slots.waitToReturn((slot) => {
      this.#slot = slot
      this.#line = undefined
      this.#watcher?.('at work')
      end()
    })
    return line
  }
}
