import type { Json } from '../../kernel/json.ts'
import type { MessageId, PartId, PermissionId, RunId, SessionKey } from '../../kernel/ids.ts'
import type { Child } from '../delegation/delegation.ts'
import type { ErrorView } from '../run/outcome.ts'
import type { PartRange } from '../run/run.ts'
import type { CallState, ToolCallInfo } from '../tool/call.ts'

export type Role = 'USER' | 'ASSISTANT'

/** One message of a conversation. Its parts are read apart. */
export interface Message {
  readonly sessionKey: SessionKey
  /** Position in the session's conversation, from 0, without gaps. */
  readonly index: number
  readonly messageId: MessageId
  readonly runId: RunId
  readonly role: Role
  readonly createdAt: number
  readonly updatedAt: number
  /** Parts that do not belong to the conversation: their step was cut off and repeated. */
  readonly superseded: readonly PartRange[]
}

/**
 * `PENDING`, `AWAITING_PERMISSION` and `UNCERTAIN` are of tool parts only. `INTERRUPTED` was cut off with its process, and
 * repeated.
 */
export type PartStatus =
  | 'PENDING'
  | 'AWAITING_PERMISSION'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'UNCERTAIN'
  | 'INTERRUPTED'

export type PartBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | {
      readonly kind: 'attachment'
      readonly mediaType: string
      readonly filename: string | null
      /** The content as a `data:` URL. */
      readonly url: string
    }
  | ToolPartBody

/** A tool call as people see it. What it answered is set when it has ended. */
export interface ToolPartBody extends ToolCallInfo {
  readonly kind: 'tool'
  /** The request that a person decided or has to decide. */
  readonly permissionId: PermissionId | null
  /** When its execution began; null while it has not. */
  readonly begunAt: number | null
  /** Where it has delegated its task to; null for all other calls. */
  readonly child: Child | null
  readonly output: Json
  readonly error: ErrorView | null
}

export type StreamingKind = 'text' | 'reasoning'

/** A body that grows by text. */
export type StreamingBody = Extract<PartBody, { readonly kind: StreamingKind }>

export const isStreaming = (body: PartBody): body is StreamingBody => body.kind === 'text' || body.kind === 'reasoning'

/** One part of a message. Once it has a `finishedAt` it never changes. */
export interface Part {
  readonly sessionKey: SessionKey
  readonly messageIndex: number
  /** Position in its message, from 0, without gaps. */
  readonly partIndex: number
  readonly partId: PartId
  readonly status: PartStatus
  /** While it streams, the text that is durable so far. */
  readonly body: PartBody
  readonly startedAt: number
  readonly finishedAt: number | null
}

/** A part of the active run that still grows. Its text is with the run's executor. */
export interface OpenText {
  readonly partIndex: number
  readonly kind: StreamingKind
  readonly startedAt: number
}

/** A tool call of the active run that has not ended. */
export interface OpenTool {
  readonly partIndex: number
  readonly kind: 'tool'
  readonly startedAt: number
  readonly call: ToolCallInfo
  readonly permissionId: PermissionId | null
  readonly child: Child | null
  readonly state: CallState
}

/** A part of the active run that has not finished. */
export type OpenPart = OpenText | OpenTool
