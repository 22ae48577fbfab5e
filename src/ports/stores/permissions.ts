import type { PermissionId, RunId, ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Grant } from '../../domain/permission/grant.ts'
import type { Permission } from '../../domain/permission/permission.ts'
import type { Purge } from './purge.ts'

/** Where a list of waiting requests goes on. */
export interface PermissionPosition {
  readonly createdAt: number
  readonly permissionId: PermissionId
}

/** Requests for permission, and grants. `purge` erases both. */
export interface PermissionStore extends Purge {
  findMany(ids: readonly PermissionId[]): Promise<readonly Permission[]>
  /** The waiting requests of each session, ascending ordinal. */
  pending(sessions: readonly SessionKey[]): Promise<readonly Permission[]>
  /** The newest `limit` requests of each session, waiting ones and others, descending ordinal. */
  latest(sessions: readonly SessionKey[], limit: number): Promise<readonly Permission[]>
  /** All requests of these runs, ascending ordinal. */
  ofRuns(runs: readonly RunId[]): Promise<readonly Permission[]>
  /** The waiting requests of a scope, without those of sessions that are being deleted; oldest first, ties by id, by bytes. */
  inbox(scopeKey: ScopeKey, after: PermissionPosition | undefined, limit: number): Promise<readonly Permission[]>
  /** The grants of these sessions, oldest first, ties by key, by UTF-16 units, then by session. */
  grants(sessions: readonly SessionKey[]): Promise<readonly Grant[]>
}
