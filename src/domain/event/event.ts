import {
  asSessionKey,
  type Generation,
  type IntentId,
  type MessageId,
  type PartId,
  type QueueId,
  type RunId,
  type ScopeKey,
  type SessionId,
  type SessionKey,
} from '../../kernel/ids.ts'
import type { EntryStatus } from '../prompt/entry.ts'
import type { Permission } from '../permission/permission.ts'
import type { Budget } from '../run/budget.ts'
import type { ErrorView, RunOutcome } from '../run/outcome.ts'
import type { Reconciliation } from '../tool/execution.ts'

/** A queue entry as it was committed with an event. */
export interface EntrySnapshot {
  readonly queueId: QueueId
  readonly status: EntryStatus
  readonly runId: RunId | null
  readonly error: ErrorView | null
  readonly clientRequestId: string | null
  readonly budget: Budget | null
  readonly createdBy: string
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export interface PartAddress {
  readonly runId: RunId
  readonly messageId: MessageId
  readonly partId: PartId
  /** Position of the message in the session's conversation. */
  readonly messageIndex: number
  readonly partIndex: number
}

/** A request for permission as it was committed with an event. */
export type PermissionSnapshot = Omit<Permission, 'scopeKey' | 'sessionKey' | 'ordinal'>

interface ExecutionAddress {
  readonly runId: RunId
  readonly intentId: IntentId
  readonly toolCallId: string
  readonly toolName: string
}

/** What an event reports, as it was committed. Contents of parts are not repeated: they are read from their rows. */
export type EventBody =
  | {
      readonly type: 'session.created'
      readonly title: string | null
      readonly agent: string | null
      readonly depth: number
      readonly createdBy: string
    }
  /** Says who it was, and nothing of what it contained. */
  | {
      readonly type: 'session.deleted'
      readonly agent: string | null
      readonly depth: number
      readonly parentSessionId: SessionId | null
      readonly deletedBy: string
    }
  | {
      readonly type: 'prompt.queued' | 'prompt.started' | 'prompt.running' | 'prompt.finished'
      readonly queueId: QueueId
      readonly runId: RunId | null
      readonly entry: EntrySnapshot
    }
  | { readonly type: 'run.started'; readonly runId: RunId; readonly messageId: MessageId }
  | {
      readonly type: 'run.finished'
      readonly runId: RunId
      readonly messageId: MessageId
      readonly status: RunOutcome['status']
      readonly error: ErrorView | null
    }
  | {
      readonly type: 'message.created' | 'message.updated'
      readonly runId: RunId
      readonly messageId: MessageId
      readonly messageIndex: number
    }
  | ({ readonly type: 'part.created' | 'part.updated' | 'part.completed' } & PartAddress)
  | {
      readonly type: 'permission.requested' | 'permission.resolved'
      readonly runId: RunId
      readonly permission: PermissionSnapshot
    }
  | { readonly type: 'grant.changed'; readonly rememberKey: string; readonly change: 'GRANTED' | 'REVOKED' }
  | ({ readonly type: 'tool.uncertain' } & ExecutionAddress)
  | ({
      readonly type: 'tool.reconciled'
      readonly outcome: Reconciliation['outcome']
      readonly by: string
    } & ExecutionAddress)
  /** About the scope itself, as is all that is named `scope`. */
  | { readonly type: 'scope.fenced'; readonly reason: string }
  | { readonly type: 'scope.restored'; readonly fencedAt: number }

export type EventType = EventBody['type']

/** Stands for a session's key where an event is about the scope itself. No session has it. */
export const SCOPE_ITSELF = asSessionKey(0)

/** An event that a commit is to number. */
export interface EventDraft {
  /** The session that it is about, or `SCOPE_ITSELF`. */
  readonly sessionKey: SessionKey
  readonly timestamp: number
  readonly body: EventBody
}

/** What an event is about. */
export interface EventSubject {
  /** `SCOPE_ITSELF` where it is about no session. */
  readonly sessionKey: SessionKey
  /** Null where it is about no session, as is `generation`. */
  readonly sessionId: SessionId | null
  /** The incarnation of the session, also after its id was created anew. */
  readonly generation: Generation | null
  /** The session's place in the tree, for filtering by subtree. Empty for the scope itself, which is in nobody's subtree. */
  readonly path: string
}

export const theScope: EventSubject = { sessionKey: SCOPE_ITSELF, sessionId: null, generation: null, path: '' }

/** A durable, numbered fact of a scope. */
export interface HarnessEvent extends EventSubject {
  readonly scopeKey: ScopeKey
  /** Position in the scope's log, from 1, without gaps, in commit order. */
  readonly sequence: number
  readonly timestamp: number
  readonly body: EventBody
}

export const durableEventTypes: readonly EventType[] = [
  'session.created',
  'session.deleted',
  'prompt.queued',
  'prompt.started',
  'prompt.running',
  'prompt.finished',
  'run.started',
  'run.finished',
  'message.created',
  'message.updated',
  'part.created',
  'part.updated',
  'part.completed',
  'permission.requested',
  'permission.resolved',
  'grant.changed',
  'tool.uncertain',
  'tool.reconciled',
  'scope.fenced',
  'scope.restored',
]
