import { type FailureClass, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'

/** What happens to a commit: it fails before the store has it, or after, or nothing. */
export type Fault = { readonly failure: FailureClass | 'unclassified'; readonly side: 'before' | 'after' } | undefined

/**
 * Stores whose commits meet faults. `next` is asked before each commit, `isMute` whenever somebody asks for the fate of
 * one: then he is not answered.
 */
export function faultyStores(stores: Stores, next: (group: readonly Commit[]) => Fault, isMute = () => false): Stores {
  return {
    ...stores,
    unit: {
      ...stores.unit,
      outcomeOf: async (writeId) => {
        if (isMute()) throw new Error('No connection')
        return stores.unit.outcomeOf(writeId)
      },
      forget: (before, limit) => stores.unit.forget(before, limit),
      async commit(writeId, group) {
        const fault = next(group)
        if (!fault) return stores.unit.commit(writeId, group)
        if (fault.side === 'after') await stores.unit.commit(writeId, group)
        throw fault.failure === 'unclassified'
          ? new Error('Connection terminated unexpectedly')
          : new StoreFailure(fault.failure, 'injected')
      },
    },
  }
}
