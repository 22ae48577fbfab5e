import type { ExecutionState, Reconciliation } from '../../../domain/tool/execution.ts'
import { builder } from '../../builder.ts'

export const UncertainToolExecutionState = builder.enumType('UncertainToolExecutionState', {
  description: 'Whether it is known by now what became of an execution.',
  values: {
    UNCERTAIN: { description: 'Nobody has said.' },
    RECONCILED: { description: 'A person has said: see `outcome`.' },
  } satisfies Record<Uppercase<ExecutionState['kind']>, { description: string }>,
})

export const ReconciliationOutcome = builder.enumType('ReconciliationOutcome', {
  description: 'What became of an uncertain execution.',
  values: {
    SUCCEEDED: { description: 'It happened, and gave `output`.' },
    FAILED: { description: 'It failed: see `error`.' },
    NOT_EXECUTED: { description: 'It never happened.' },
  } satisfies Record<Reconciliation['outcome'], { description: string }>,
})
