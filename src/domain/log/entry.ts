import type { Json } from '../../kernel/json.ts'
import type { RunId, SessionKey } from '../../kernel/ids.ts'
import type { Attachment } from '../prompt/prompt.ts'
import type { ErrorView, LogOutcome, RunOutcome } from '../run/outcome.ts'

/** What the agent log remembers: everything that the model's context is built from. */
export type LogBody =
  | { readonly kind: 'input'; readonly text: string; readonly attachments: readonly Attachment[] }
  /** The output of one finished model call, as the agent wrote it: opaque to the rest of the harness. */
  | { readonly kind: 'step'; readonly output: Json }
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
