import type { Json } from '../../kernel/json.ts'
import type { RunId, SessionKey } from '../../kernel/ids.ts'
import type { Attachment } from '../prompt/prompt.ts'
import type { ErrorView, LogOutcome, RunOutcome } from '../run/outcome.ts'
import type { Reconciliation } from '../tool/execution.ts'
import type { ToolResult } from '../tool/result.ts'

/** What the agent log remembers: everything that the model's context is built from. */
export type LogBody =
  | { readonly kind: 'input'; readonly text: string; readonly attachments: readonly Attachment[] }
  /** The output of one finished model call, as the agent wrote it: opaque to the rest of the harness. */
  | {
      readonly kind: 'step'
      readonly output: Json
      /** The tool calls in the output, in their order, by their ids in the run; absent when there are none. */
      readonly calls?: readonly string[]
    }
  /** Durable before the call is executed. */
  | { readonly kind: 'intent'; readonly toolCallId: string; readonly toolName: string }
  /** Durable before the next step. Every call gets one, at the latest when its run ends. */
  | { readonly kind: 'result'; readonly toolCallId: string; readonly toolName: string; readonly result: ToolResult }
  /** What a person found out, after its run had ended, about a call with an unknown outcome. */
  | {
      readonly kind: 'reconciled'
      readonly toolCallId: string
      readonly toolName: string
      readonly found: Reconciliation
    }
  | {
      readonly kind: 'outcome'
      readonly outcome: LogOutcome
      readonly status: RunOutcome['status']
      readonly error: ErrorView | null
    }

/** One entry of a session's agent log: durable, append-only. */
export interface LogEntry {
  readonly sessionKey: SessionKey
  /** Position in the log, from 0, without gaps. */
  readonly index: number
  readonly runId: RunId
  readonly createdAt: number
  readonly body: LogBody
}
