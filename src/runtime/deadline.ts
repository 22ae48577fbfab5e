import type { Clock } from '../ports/clock.ts'
import { StoreFailure } from '../ports/stores/failure.ts'

/** The result of a store's call; when the deadline passes first, an uncertain failure. The late result is ignored. */
export async function withDeadline<T>(clock: Clock, ms: number, call: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(ms, () => reject(new StoreFailure('uncertain', `The store took more than ${ms} ms.`)))
  try {
    return await Promise.race([call(), late])
  } finally {
    cancel()
  }
}
