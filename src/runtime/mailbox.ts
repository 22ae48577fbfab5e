/**
 * Runs jobs strictly one after another, in the order of their arrival.
 *
 * Invariants: at most one job is between its first line and its settlement; a job that fails does not stop those
 * behind it. It avoids conflicts within a process; correctness never rests on it, but on the store's compare-and-set.
 */
export class Mailbox {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** True when no job runs or waits. */
  get isIdle(): boolean {
    return this.#waiting === 0
  }

  run<T>(job: () => Promise<T>): Promise<T> {
    this.#waiting++
    const result = this.#last.then(job).finally(() => {
      this.#waiting--
    })
    this.#last = result.catch(() => undefined)
    return result
  }
}
