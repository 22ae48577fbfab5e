import { accepted, type Machine, unchanged } from '../../kernel/decider.ts'
import { abortedWith, type LogOutcome, type RunOutcome } from './outcome.ts'
import type { AbortRequest, ModelIdentity, RunState } from './run.ts'
import type { Usage } from './usage.ts'

export type RunCommand =
  | { readonly type: 'admit' }
  | { readonly type: 'resolve'; readonly model: ModelIdentity }
  | { readonly type: 'endStep'; readonly usage: Usage }
  /** It has worked for so long, in all its attempts. */
  | { readonly type: 'count'; readonly workedMs: number }
  /** Another process, or the next life of this one, goes on with it. */
  | { readonly type: 'resume'; readonly epoch: number; readonly owner: string }
  | { readonly type: 'abort'; readonly request: AbortRequest }
  | { readonly type: 'conclude'; readonly outcome: RunOutcome }
  | { readonly type: 'finish'; readonly at: number }

export type RunEvent =
  | { readonly type: 'admitted' }
  | { readonly type: 'resolved'; readonly model: ModelIdentity }
  | { readonly type: 'stepEnded'; readonly usage: Usage }
  | { readonly type: 'counted'; readonly workedMs: number }
  | { readonly type: 'resumed'; readonly epoch: number; readonly owner: string }
  | { readonly type: 'abortRequested'; readonly request: AbortRequest }
  | { readonly type: 'outcomeDecided'; readonly outcome: RunOutcome; readonly generated: boolean }
  | { readonly type: 'finished'; readonly outcome: RunOutcome; readonly log: LogOutcome; readonly at: number }

type Abortable = Extract<RunState, { aborting: unknown }>

const stale = () => unchanged('the run has ended')
const decided = () => unchanged('the outcome is decided')
const notAdmitted = () => unchanged('the run is not admitted')
const notResolved = () => unchanged('the model is not resolved')

const resume = (_: Abortable, { epoch, owner }: { epoch: number; owner: string }) =>
  accepted({ type: 'resumed', epoch, owner } as const)

const count = (_: Abortable, { workedMs }: { workedMs: number }) => accepted({ type: 'counted', workedMs } as const)

const abort = (state: Abortable, { request }: { request: AbortRequest }) =>
  state.aborting ? unchanged('the run is being aborted') : accepted({ type: 'abortRequested', request } as const)

/** The first cause wins: whatever happens to a run after its abort was acknowledged, it ends by that. */
const conclude = (state: Abortable, { outcome }: { outcome: RunOutcome }) =>
  accepted({
    type: 'outcomeDecided',
    outcome: state.aborting ? endedBy(state.aborting) : outcome,
    generated: state.kind === 'generating',
  } as const)

/**
 * The life of a run.
 *
 *     admitting ──admit──▶ resolving ──resolve──▶ generating ⟲ endStep
 *                              │                      │
 *                              │ ◀────────resume──────┤
 *                              └──────conclude────────┴──▶ finalizing ──finish──▶ finished
 */
export const runMachine: Machine<RunState, RunCommand, RunEvent, never> = {
  table: {
    admitting: {
      admit: () => accepted({ type: 'admitted' }),
      resolve: notAdmitted,
      endStep: notAdmitted,
      count: notAdmitted,
      resume: notAdmitted,
      abort: notAdmitted,
      conclude: notAdmitted,
      finish: notAdmitted,
    },
    resolving: {
      admit: () => unchanged('the run is admitted'),
      resolve: (_, { model }) => accepted({ type: 'resolved', model }),
      endStep: notResolved,
      count,
      resume,
      abort,
      conclude,
      finish: () => unchanged('the outcome is not decided'),
    },
    generating: {
      admit: () => unchanged('the run is admitted'),
      resolve: () => unchanged('the model is resolved'),
      endStep: (_, { usage }) => accepted({ type: 'stepEnded', usage }),
      count,
      resume,
      abort,
      conclude,
      finish: () => unchanged('the outcome is not decided'),
    },
    finalizing: {
      admit: decided,
      resolve: decided,
      endStep: decided,
      count: decided,
      resume: decided,
      abort: decided,
      conclude: decided,
      finish: ({ outcome, generated }, { at }) =>
        accepted({ type: 'finished', outcome, log: logOutcome(outcome, generated), at }),
    },
    finished: {
      admit: stale,
      resolve: stale,
      endStep: stale,
      count: stale,
      resume: stale,
      abort: stale,
      conclude: stale,
      finish: stale,
    },
  },
  evolve(state, event) {
    switch (event.type) {
      case 'admitted':
        return state.kind === 'admitting' ? { kind: 'resolving', aborting: null } : state
      case 'resolved':
        return state.kind === 'resolving' ? { kind: 'generating', aborting: state.aborting } : state
      case 'resumed':
        return isAbortable(state) ? { kind: 'resolving', aborting: state.aborting } : state
      case 'abortRequested':
        return isAbortable(state) && !state.aborting ? { ...state, aborting: event.request } : state
      case 'outcomeDecided':
        return isAbortable(state) ? { kind: 'finalizing', outcome: event.outcome, generated: event.generated } : state
      case 'finished':
        return state.kind === 'finalizing' ? { kind: 'finished', outcome: event.outcome, at: event.at } : state
      case 'stepEnded':
      case 'counted':
        return state
    }
  },
}

const isAbortable = (state: RunState): state is Abortable => state.kind === 'resolving' || state.kind === 'generating'

/** How a run ends that was asked to stop. */
export const endedBy = ({ kind, message }: AbortRequest): RunOutcome =>
  kind === 'rejected'
    ? { status: 'FAILED', error: { code: 'PERMISSION_REJECTED', message, source: 'harness' } }
    : abortedWith(message)

function logOutcome(outcome: RunOutcome, generated: boolean): LogOutcome {
  if (outcome.status === 'COMPLETED') return 'ACCEPTED'
  return outcome.status === 'FAILED' && generated ? 'REJECTED' : 'INTERRUPTED'
}
