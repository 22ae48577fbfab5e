/** Keeps work apart: first come, first served. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Waits until all earlier turns have ended. The caller ends its own by calling the result. */
  async next(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const earlier = this.#last
    this.#last = promise
    await earlier
    return resolve
  }

  async during<T>(work: () => T | Promise<T>): Promise<T> {
    const end = await this.next()
    try {
      return await work()
    } finally {
      end()
    }
  }
}
