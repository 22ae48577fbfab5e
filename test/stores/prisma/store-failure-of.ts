import { type FailureClass, StoreFailure } from '../../../src/ports/stores/failure.ts'

/**
 * How a store failed, or undefined. What is no failure of a store is thrown on, instead of passing for an uncertain
 * one.
 */
export async function storeFailureOf(work: Promise<unknown>): Promise<FailureClass | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof StoreFailure) return error.failure
    throw error
  }
}
