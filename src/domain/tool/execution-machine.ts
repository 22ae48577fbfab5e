import { accepted, type Machine, refused } from '../../kernel/decider.ts'
import type { RefusalOf } from '../../kernel/refusal.ts'
import type { ExecutionState, Reconciliation } from './execution.ts'

export interface ReconcileCommand {
  readonly type: 'reconcile'
  readonly found: Reconciliation
  readonly by: string
  readonly at: number
}

export interface ReconciledEvent {
  readonly type: 'reconciled'
  readonly found: Reconciliation
  readonly by: string
  readonly at: number
}

/** An uncertain execution is reconciled once. */
export const executionMachine: Machine<
  ExecutionState,
  ReconcileCommand,
  ReconciledEvent,
  RefusalOf<'RECONCILIATION_STATE'>
> = {
  table: {
    uncertain: { reconcile: (_, { found, by, at }) => accepted({ type: 'reconciled', found, by, at }) },
    reconciled: { reconcile: ({ found }) => refused(reconciledBefore(found)) },
  },
  evolve: (state, { found, by, at }) => (state.kind === 'uncertain' ? { kind: 'reconciled', found, by, at } : state),
}

const reconciledBefore = ({ outcome }: Reconciliation): RefusalOf<'RECONCILIATION_STATE'> => ({
  code: 'RECONCILIATION_STATE',
  message: `The execution was reconciled before, as ${outcome}. Nothing was changed.`,
})
