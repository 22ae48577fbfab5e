import type { RunId, ScopeId, ScopeKey, SessionKey, StorageKey } from '../kernel/ids.ts'
import type { EntrySnapshot, PermissionSnapshot } from '../domain/event/event.ts'
import { permissionSnapshotOf, snapshotOf } from '../domain/session/announce.ts'
import type { OpenScope } from '../runtime/harness.ts'
import type {
  EntryRow,
  ExecutionRow,
  GrantRow,
  MessageRow,
  PartRow,
  PermissionRow,
  RunRow,
  ScopeRow,
  SessionRow,
  TombstoneRow,
} from './facade-types.ts'

/** A stored scope under the id by which the caller knows it. */
export interface ScopeRef {
  readonly scopeId: ScopeId
  readonly storageKey: StorageKey
  readonly key: ScopeKey
}

/** A scope; without a row while nothing was stored in it. */
export interface ScopeView {
  readonly kind: 'Scope'
  readonly scopeId: ScopeId
  readonly storageKey: StorageKey
  readonly row: ScopeRow | undefined
  /** Whether it takes work. */
  readonly lifecycle: OpenScope['lifecycle']
}

export interface SessionView {
  readonly kind: 'Session'
  readonly scope: ScopeRef
  readonly row: SessionRow
}

/** A session that is being deleted. */
export interface TombstoneView {
  readonly scope: ScopeRef
  readonly row: TombstoneRow
}

export interface RunView {
  readonly kind: 'Run'
  readonly scope: ScopeRef
  readonly row: RunRow
}

export interface MessageView {
  readonly kind: 'Message'
  readonly scope: ScopeRef
  readonly row: MessageRow
  /** Where they came with the message; otherwise they are read. */
  readonly parts?: readonly PartRow[]
}

export interface QueueEntryView {
  readonly kind: 'QueueEntry'
  readonly scope: ScopeRef
  /** Found by the entry's id where it is not known. */
  readonly sessionKey?: SessionKey
  /** The entry as it is now, or as it was when an event was committed. */
  readonly entry: EntrySnapshot
}

export interface PermissionView {
  readonly kind: 'Permission'
  readonly scope: ScopeRef
  /** Found by the request's id where it is not known. */
  readonly sessionKey?: SessionKey
  /** The request as it is now, or as it was when an event was committed. */
  readonly permission: PermissionSnapshot
}

export interface ExecutionView {
  readonly kind: 'UncertainToolExecution'
  readonly scope: ScopeRef
  readonly row: ExecutionRow
}

export interface GrantView {
  readonly scope: ScopeRef
  readonly row: GrantRow
}

export interface PartView {
  readonly scope: ScopeRef
  readonly runId: RunId
  readonly row: PartRow
}

export type NodeView =
  | ScopeView
  | SessionView
  | RunView
  | MessageView
  | QueueEntryView
  | PermissionView
  | ExecutionView

export const sessionView = (scope: ScopeRef, row: SessionRow): SessionView => ({ kind: 'Session', scope, row })
export const runView = (scope: ScopeRef, row: RunRow): RunView => ({ kind: 'Run', scope, row })
export const messageView = (scope: ScopeRef, row: MessageRow): MessageView => ({ kind: 'Message', scope, row })

export const queueEntryView = (scope: ScopeRef, row: EntryRow): QueueEntryView => ({
  kind: 'QueueEntry',
  scope,
  sessionKey: row.sessionKey,
  entry: snapshotOf(row),
})

export const permissionView = (scope: ScopeRef, row: PermissionRow): PermissionView => ({
  kind: 'Permission',
  scope,
  sessionKey: row.sessionKey,
  permission: permissionSnapshotOf(row),
})

export const executionView = (scope: ScopeRef, row: ExecutionRow): ExecutionView => ({
  kind: 'UncertainToolExecution',
  scope,
  row,
})

/** The scope of a view that exists only when something is stored; undefined while nothing is. */
export const refOf = ({ scopeId, storageKey, row }: ScopeView): ScopeRef | undefined =>
  row && { scopeId, storageKey, key: row.key }
