/**
 * The consumer's end of a stream that is made on demand: an async iterator whose calls of `next()` wait here for
 * answers, first come, first served. Owns those calls and whether the stream has ended; holds no value that nobody
 * asked for. `return()` ends it at once, also while a `next()` waits and before the first one.
 */
export interface OutletSource {
  /** Somebody asks for a value. */
  pulled(): void
  /** The consumer has left. Called once, and not when the stream ended by itself. */
  left(): void
}

type Result<T> = IteratorResult<T, undefined>

export class Outlet<T> implements AsyncIterableIterator<T, undefined> {
  readonly #source: OutletSource
  readonly #waiting: PromiseWithResolvers<Result<T>>[] = []
  #isOpen = true
  #failure: { readonly error: unknown } | undefined

  constructor(source: OutletSource) {
    this.#source = source
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result<T>> {
    if (!this.#isOpen) return this.#over()
    const call = Promise.withResolvers<Result<T>>()
    this.#waiting.push(call)
    this.#source.pulled()
    return call.promise
  }

  async return(): Promise<Result<T>> {
    if (this.#isOpen) {
      this.end()
      this.#source.left()
    }
    this.#failure = undefined
    return ended
  }

  /** True while a call of `next()` waits. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Answers the oldest waiting call. */
  answer(value: T): void {
    this.#waiting.shift()?.resolve({ done: false, value })
  }

  /** Ends the stream: whoever waits, or asks later, is told that it is over. */
  end(): void {
    this.#isOpen = false
    for (const call of this.#waiting.splice(0)) call.resolve(ended)
  }

  /** Ends the stream with an error, which goes to the oldest waiting call or to the next one, once. */
  fail(error: unknown): void {
    if (!this.#isOpen) return
    const first = this.#waiting.shift()
    if (first) first.reject(error)
    else this.#failure = { error }
    this.end()
  }

  async #over(): Promise<Result<T>> {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
    return ended
  }
}

const ended = { done: true, value: undefined } as const
