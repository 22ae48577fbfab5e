import type { Reconciliation } from '../../../domain/tool/execution.ts'
import { builder } from '../../builder.ts'
import { UncertainToolExecution } from '../../refs.ts'
import type { ExecutionView } from '../../views.ts'
import { Failure } from '../run/failure.ts'
import { ReconciliationOutcome, UncertainToolExecutionState } from './enums.ts'

builder.objectFields(UncertainToolExecution, (t) => ({
  state: t.field({
    type: UncertainToolExecutionState,
    description: 'Whether it is known by now what became of it.',
    resolve: ({ row }) => (row.state.kind === 'uncertain' ? 'UNCERTAIN' : 'RECONCILED'),
  }),
  outcome: t.field({
    type: ReconciliationOutcome,
    nullable: true,
    description: 'What became of it; null while that is not known.',
    resolve: (view) => foundOf(view)?.outcome ?? null,
  }),
  output: t.field({
    type: 'JSON',
    nullable: true,
    description: 'What it gave; null when that is null, and unless it has SUCCEEDED.',
    resolve: (view) => {
      const found = foundOf(view)
      return found?.outcome === 'SUCCEEDED' ? found.output : null
    },
  }),
  error: t.field({
    type: Failure,
    nullable: true,
    description: 'Why it failed; null unless it has FAILED.',
    resolve: (view) => {
      const found = foundOf(view)
      return found?.outcome === 'FAILED' ? found.error : null
    },
  }),
  reconciledBy: t.string({
    nullable: true,
    description: 'The principal who said so; null before.',
    resolve: ({ row }) => (row.state.kind === 'reconciled' ? row.state.by : null),
  }),
  reconciledAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it was said; null before.',
    resolve: ({ row }) => (row.state.kind === 'reconciled' ? row.state.at : null),
  }),
}))

const foundOf = ({ row: { state } }: ExecutionView): Reconciliation | null =>
  state.kind === 'reconciled' ? state.found : null
