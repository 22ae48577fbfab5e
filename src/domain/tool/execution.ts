import type { Json } from '../../kernel/json.ts'
import type { IntentId, RunId, SessionKey } from '../../kernel/ids.ts'
import type { ErrorView } from '../run/outcome.ts'

/** What a person found out about a call of which nobody knew how it ended. */
export type Reconciliation =
  | { readonly outcome: 'SUCCEEDED'; readonly output: Json }
  | { readonly outcome: 'FAILED'; readonly error: ErrorView }
  | { readonly outcome: 'NOT_EXECUTED' }

export type ExecutionState =
  | { readonly kind: 'uncertain' }
  | { readonly kind: 'reconciled'; readonly found: Reconciliation; readonly by: string; readonly at: number }

/** A tool call whose beginning is durable and whose end is not. Its input is in the part at its address. */
export interface UncertainExecution {
  readonly sessionKey: SessionKey
  /** Position among the uncertain executions of its session, from 0, without gaps. */
  readonly ordinal: number
  readonly intentId: IntentId
  readonly runId: RunId
  readonly toolCallId: string
  readonly toolName: string
  readonly messageIndex: number
  readonly partIndex: number
  readonly startedAt: number
  readonly uncertainSince: number
  readonly state: ExecutionState
}
