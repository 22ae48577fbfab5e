import type { QueueId, RunId, ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { Delegation } from '../delegation/delegation.ts'
import type { ErrorView, RunOutcome } from '../run/outcome.ts'
import type { Budget } from '../run/budget.ts'
import type { WhenBusy } from './prompt.ts'

export type EntryState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'started'; readonly runId: RunId; readonly startedAt: number }
  | { readonly kind: 'running'; readonly runId: RunId; readonly startedAt: number }
  | {
      readonly kind: 'finished'
      readonly status: RunOutcome['status']
      readonly error: ErrorView | null
      /** Null when it never started. */
      readonly runId: RunId | null
      readonly startedAt: number | null
      readonly finishedAt: number
    }

export type EntryStatus = 'QUEUED' | 'STARTED' | 'RUNNING' | RunOutcome['status']

/** A prompt's place in the queue of its session. The prompt itself is read when it is needed. */
export interface Entry {
  readonly sessionKey: SessionKey
  /** Position among all entries of its session, from 0, without gaps. */
  readonly ordinal: number
  readonly queueId: QueueId
  /** The queue runs in ascending rank. */
  readonly rank: number
  /** UTF-8 bytes of the prompt, attachments included. */
  readonly bytes: number
  readonly whenBusy: WhenBusy
  /** What its run may use, as the prompt says. */
  readonly budget: Budget | null
  /** The scope id under which it was enqueued. */
  readonly scopeId: ScopeId
  readonly clientRequestId: string | null
  /** The call that it is executed for; null for what clients enqueue. */
  readonly delegation: Delegation | null
  readonly createdBy: string
  readonly createdAt: number
  readonly state: EntryState
}

export function statusOf({ state }: Entry): EntryStatus {
  switch (state.kind) {
    case 'queued':
      return 'QUEUED'
    case 'started':
      return 'STARTED'
    case 'running':
      return 'RUNNING'
    case 'finished':
      return state.status
  }
}

export const runIdOf = ({ state }: Entry): RunId | null => (state.kind === 'queued' ? null : state.runId)
