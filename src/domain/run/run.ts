import type { GenerationId, QueueId, RunId, ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { Budget } from './budget.ts'
import type { RunOutcome } from './outcome.ts'
import type { Usage } from './usage.ts'

export interface ModelIdentity {
  readonly provider: string
  readonly id: string
}

/** A durable request to stop a run. The first one counts. A run of which a person rejected a request fails. */
export interface AbortRequest {
  readonly kind: 'requested' | 'superseded' | 'rejected' | 'retired' | 'parent'
  readonly message: string
  readonly by: string
  readonly at: number
}

/** Where a run stands. `aborting` is set once, and then decides the outcome. */
export type RunState =
  | { readonly kind: 'admitting' }
  | { readonly kind: 'resolving'; readonly aborting: AbortRequest | null }
  | { readonly kind: 'generating'; readonly aborting: AbortRequest | null }
  | { readonly kind: 'finalizing'; readonly outcome: RunOutcome; readonly generated: boolean }
  | { readonly kind: 'finished'; readonly outcome: RunOutcome; readonly at: number }

/** Parts from index `from` up to, and without, `to`. */
export interface PartRange {
  readonly from: number
  readonly to: number
}

/** The execution of one prompt. */
export interface Run {
  readonly sessionKey: SessionKey
  /** Position among the runs of its session, from 0, without gaps. */
  readonly ordinal: number
  readonly runId: RunId
  readonly queueId: QueueId
  readonly generationId: GenerationId
  /** Fencing token: a writer whose epoch is no longer the session's changes nothing any more. */
  readonly epoch: number
  /** The scope id under which the prompt was enqueued. */
  readonly scopeId: ScopeId
  readonly startedAt: number
  /** Position of the user message in the session; the assistant message follows it. */
  readonly userMessageIndex: number
  readonly assistantMessageIndex: number
  readonly model: ModelIdentity | null
  /** Finished model calls. */
  readonly steps: number
  readonly usage: Usage
  readonly budget: Budget | null
  /** Milliseconds at work, of all attempts, as far as they are durable. */
  readonly workedMs: number
  /** Parts of the assistant message so far, finished ones included. */
  readonly partCount: number
  /** How often it was begun: 1, and one more for each time that it was resumed. */
  readonly attempts: number
  /** The process that executes it. */
  readonly owner: string
  /** The part that the step under way began with. */
  readonly stepFrom: number
  /** Parts of steps that were cut off and repeated. */
  readonly superseded: readonly PartRange[]
  readonly state: RunState
}

/** A run that has not ended. */
export const isLive = (run: Run): boolean => run.state.kind !== 'finished'

/** The abort that a run has been asked for and has not obeyed yet. */
export const abortOf = ({ state }: Run): AbortRequest | null =>
  state.kind === 'resolving' || state.kind === 'generating' ? state.aborting : null

/** Whether a part is of the step under way, which the log does not have yet. */
export const isOfStepUnderWay = ({ stepFrom }: Run, partIndex: number): boolean => partIndex >= stepFrom
