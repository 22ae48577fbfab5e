export interface Mapping<Value, Result> {
  /** Undefined passes a value over. What it throws ends the iteration. */
  readonly map: (value: Value) => Result | undefined
  /** What the iteration rejects with in place of what the source rejected with. */
  readonly failure: (error: unknown) => unknown
}

/**
 * The values of a source, mapped. Returning from it returns from the source at once, also while a value is awaited; so
 * does a mapping that throws. (An async generator would wait for the next value first.)
 */
export function mappedIterator<Value, Result>(
  source: AsyncIterator<Value>,
  { map, failure }: Mapping<Value, Result>,
): AsyncIterableIterator<Result> {
  const stop = async (): Promise<IteratorReturnResult<undefined>> => {
    await source.return?.()
    return { done: true, value: undefined }
  }
  const pull = () => source.next().catch((error: unknown) => Promise.reject(asError(failure(error))))
  return {
    async next() {
      for (let step = await pull(); !step.done; step = await pull()) {
        const result = await attempt(() => map(step.value), stop)
        if (result !== undefined) return { done: false, value: result }
      }
      return { done: true, value: undefined }
    },
    return: stop,
    async throw(error) {
      await stop()
      throw asError(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function attempt<T>(act: () => T, onFailure: () => Promise<unknown>): Promise<T> {
  try {
    return act()
  } catch (error) {
    await onFailure()
    throw error
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
