import type { RunOutcome } from '../../../domain/run/outcome.ts'
import type { RunState } from '../../../domain/run/run.ts'
import { builder } from '../../builder.ts'

export type RunStatusName = 'RUNNING' | RunOutcome['status']

export const RunStatus = builder.enumType('RunStatus', {
  description: 'Whether a run goes on, or how it ended.',
  values: {
    RUNNING: { description: 'It has not ended.' },
    COMPLETED: { description: 'The model answered.' },
    FAILED: { description: 'Something went wrong; see `error`.' },
    CANCELLED: { description: 'It was stopped; see `error`.' },
  } satisfies Record<RunStatusName, { description: string }>,
})

export const RunPhase = builder.enumType('RunPhase', {
  description: 'How far a run has come.',
  values: {
    ADMITTING: { description: 'It is being taken from the queue.' },
    RESOLVING: { description: 'Its model is being found.' },
    GENERATING: { description: 'Its model answers, step by step.' },
    FINALIZING: { description: 'Its outcome is decided and being stored. It can no longer be stopped.' },
    FINISHED: { description: 'It has ended.' },
  } satisfies Record<Uppercase<RunState['kind']>, { description: string }>,
})

export const phaseOf = ({ kind }: RunState): Uppercase<RunState['kind']> => kind.toUpperCase() as Uppercase<typeof kind>

export const statusOf = (state: RunState): RunStatusName =>
  state.kind === 'finished' ? state.outcome.status : 'RUNNING'
