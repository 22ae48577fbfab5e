/**
 * Undoes what a piece of synchronous work changed in the tables when the work fails.
 * Owns the undoings of the work that is under way; there is at most one, as nothing awaits inside.
 */
export class Journal {
  #undoings: (() => void)[] | undefined

  /** Says how to undo a change that was made just now. Of no interest outside `atomically`. */
  record(undo: () => void): void {
    this.#undoings?.push(undo)
  }

  /** Runs `work`; when it throws, everything that it changed is as before, and the error goes on. */
  atomically<T>(work: () => T): T {
    const undoings: (() => void)[] = []
    this.#undoings = undoings
    try {
      return work()
    } catch (error) {
      this.#undoings = undefined
      for (const undo of undoings.toReversed()) undo()
      throw error
    } finally {
      this.#undoings = undefined
    }
  }
}
