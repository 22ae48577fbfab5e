import { type FailureClass, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

/** What happens to a commit: it fails before the store has it, or after, or nothing. */
export type Fault = { readonly failure: FailureClass | 'unclassified'; readonly side: 'before' | 'after' } | undefined

/** Stores whose commits meet faults. `next` is asked before each commit. */
export function faultyStores(stores: Stores, next: () => Fault): Stores {
  return {
    ...stores,
    unit: {
      ...stores.unit,
      outcomeOf: (writeId) => stores.unit.outcomeOf(writeId),
      forget: (before, limit) => stores.unit.forget(before, limit),
      async commit(writeId, group) {
        const fault = next()
        if (!fault) return stores.unit.commit(writeId, group)
        if (fault.side === 'after') await stores.unit.commit(writeId, group)
        throw fault.failure === 'unclassified'
          ? new Error('Connection terminated unexpectedly')
          : new StoreFailure(fault.failure, 'injected')
      },
    },
  }
}
