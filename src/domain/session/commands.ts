import type { Json } from '../../kernel/json.ts'
import type { PermissionId, QueueId, RunId, ScopeId } from '../../kernel/ids.ts'
import type { Child, Delegation } from '../delegation/delegation.ts'
import type { StreamingKind } from '../message/message.ts'
import type { Limits } from '../limits.ts'
import type { Grant } from '../permission/grant.ts'
import type { Permission, PermissionDecision } from '../permission/permission.ts'
import type { Prompt, WhenBusy } from '../prompt/prompt.ts'
import type { ErrorView, RunOutcome } from '../run/outcome.ts'
import type { AbortRequest, ModelIdentity } from '../run/run.ts'
import type { Usage } from '../run/usage.ts'
import type { ToolCallInfo } from '../tool/call.ts'
import type { Reconciliation, UncertainExecution } from '../tool/execution.ts'
import type { ToolResult } from '../tool/result.ts'

/** Names the run that a command comes from or is meant for. A command of a run that is not current changes nothing. */
export interface RunRef {
  readonly runId: RunId
  readonly epoch: number
}

export interface Enqueue {
  readonly type: 'enqueue'
  readonly queueId: QueueId
  readonly prompt: Prompt
  readonly bytes: number
  readonly whenBusy: WhenBusy
  readonly scopeId: ScopeId
  readonly clientRequestId: string | null
  /** The call that it is executed for; null for what clients enqueue. */
  readonly delegation: Delegation | null
  readonly by: string
  readonly limits: Limits
  readonly at: number
}

/** Starts a run for the first entry of the queue, if that still is `queueId`. */
export interface Admit {
  readonly type: 'admit'
  readonly queueId: QueueId
  readonly prompt: Prompt
  readonly runId: RunId
  /** The process that will execute it. */
  readonly owner: string
  readonly at: number
}

export interface Cancel {
  readonly type: 'cancel'
  readonly queueId: QueueId
  readonly request: AbortRequest
}

/** Ends a prompt that waits, because it cannot be run. */
export interface Reject {
  readonly type: 'reject'
  readonly queueId: QueueId
  readonly error: ErrorView
  readonly at: number
}

/** Aborts the active run, or only `runId` when it is given. */
export interface Abort {
  readonly type: 'abort'
  readonly runId: RunId | null
  readonly request: AbortRequest
}

/**
 * Goes on with a run that lost its process, under a new epoch, from its last durable step. `texts` holds what is durable of
 * each part that is still open, by part index.
 */
export interface Resume {
  readonly type: 'resume'
  readonly run: RunRef
  readonly owner: string
  readonly texts: ReadonlyMap<number, string>
  readonly at: number
}

/** Says that the model of a run is being resolved. */
export interface Begin {
  readonly type: 'begin'
  readonly run: RunRef
  readonly at: number
}

export interface Resolve {
  readonly type: 'resolve'
  readonly run: RunRef
  readonly model: ModelIdentity
  readonly at: number
}

/** `partIndex` must be the next one. */
export interface OpenPartCommand {
  readonly type: 'openPart'
  readonly run: RunRef
  readonly partIndex: number
  readonly kind: StreamingKind
  readonly at: number
}

/** `text` is not empty and follows the `offset` UTF-16 units that are durable already. */
export interface GrowPart {
  readonly type: 'growPart'
  readonly run: RunRef
  readonly partIndex: number
  readonly offset: number
  readonly text: string
}

export interface ClosePart {
  readonly type: 'closePart'
  readonly run: RunRef
  readonly partIndex: number
  readonly text: string
  readonly at: number
}

export interface EndStep {
  readonly type: 'endStep'
  readonly run: RunRef
  readonly output: Json
  /** The tool calls in the output, in their order, by their ids in the run; absent when there are none. */
  readonly calls?: readonly string[]
  readonly usage: Usage
  readonly at: number
}

/** How long a run has worked so far. */
export interface Count {
  readonly type: 'count'
  readonly run: RunRef
  /** In all attempts. */
  readonly workedMs: number
  readonly at: number
}

/** Opens a part for a tool call. `partIndex` must be the next one. */
export interface OpenToolCommand {
  readonly type: 'openTool'
  readonly run: RunRef
  readonly partIndex: number
  readonly call: ToolCallInfo
  readonly at: number
}

/** Asks a person, or records that an earlier grant answers. */
export interface AskPermission {
  readonly type: 'askPermission'
  readonly run: RunRef
  readonly permission: Pick<
    Permission,
    'permissionId' | 'kind' | 'description' | 'toolCallId' | 'rememberKey' | 'metadata'
  >
  /** The call that waits for the answer; null when it is the application that waits. */
  readonly partIndex: number | null
  readonly granted: 'before' | 'not yet'
  readonly at: number
}

/** The intent to execute a call. */
export interface BeginTool {
  readonly type: 'beginTool'
  readonly run: RunRef
  readonly partIndex: number
  readonly at: number
}

/** Says where a call that has begun delegates its task to. */
export interface DelegateTool {
  readonly type: 'delegateTool'
  readonly run: RunRef
  readonly partIndex: number
  readonly child: Child
  readonly at: number
}

export interface EndTool {
  readonly type: 'endTool'
  readonly run: RunRef
  readonly partIndex: number
  readonly result: ToolResult
  /** The model of its child; absent for all other calls. */
  readonly childModel?: ModelIdentity | null
  readonly at: number
}

/** A person's answer. */
export interface RespondToPermission {
  readonly type: 'respond'
  readonly permissionId: PermissionId
  readonly decision: PermissionDecision
  /** With `REJECT`: denies only this call, and is what the model is told. */
  readonly message: string | null
  /** Whether the session has a grant for the request's key already. */
  readonly granted: 'before' | 'not yet'
  readonly by: string
  readonly at: number
}

export interface RevokeGrant {
  readonly type: 'revokeGrant'
  /** As it is stored. */
  readonly grant: Grant
  readonly at: number
}

export interface ReconcileExecution {
  readonly type: 'reconcile'
  /** As it is stored. */
  readonly execution: UncertainExecution
  readonly found: Reconciliation
  readonly by: string
  readonly at: number
}

/** Ends a run. `texts` holds the text so far of each part that is still open, by part index. */
export interface Conclude {
  readonly type: 'conclude'
  readonly run: RunRef
  readonly outcome: RunOutcome
  readonly texts: ReadonlyMap<number, string>
  readonly at: number
}

export type ContentCommand =
  | Enqueue
  | Admit
  | Cancel
  | Reject
  | Abort
  | Resume
  | Begin
  | Resolve
  | OpenPartCommand
  | GrowPart
  | ClosePart
  | OpenToolCommand
  | AskPermission
  | BeginTool
  | DelegateTool
  | EndTool
  | RespondToPermission
  | RevokeGrant
  | ReconcileExecution
  | EndStep
  | Count
  | Conclude
