import type { PermissionId, RunId, ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Permission, PermissionState } from '../../domain/permission/permission.ts'
import { document } from './document.ts'
import type { Permission as PermissionModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

/** What is asked. Its texts may be any, so they are kept as one document. */
type Ask = Pick<Permission, 'kind' | 'description' | 'toolCallId' | 'rememberKey' | 'metadata'>

const columns: ColumnsOf<PermissionModel> = {
  sessionKey: 'bigint',
  ordinal: 'bigint',
  permissionId: 'text',
  scopeKey: 'bigint',
  runId: 'text',
  createdAt: 'bigint',
  pending: 'boolean',
  ask: 'document',
  state: 'document',
}

export const permissionTable: Table<keyof PermissionModel> = {
  name: 'Permission',
  columns,
  key: ['sessionKey', 'ordinal'],
  mutable: ['pending', 'state'],
}

export function permissionRow(permission: Permission): RowOf<PermissionModel> {
  const { sessionKey, ordinal, permissionId, scopeKey, runId, createdAt, state } = permission
  const { kind, description, toolCallId, rememberKey, metadata } = permission
  const ask: Ask = { kind, description, toolCallId, rememberKey, metadata }
  return {
    sessionKey,
    ordinal,
    permissionId,
    scopeKey,
    runId,
    createdAt,
    pending: state.kind === 'pending',
    ask: document.encode(ask),
    state: document.encode(state),
  }
}

export const permissionOf = (model: PermissionModel): Permission => ({
  ...(document.decode(model.ask) as Ask),
  sessionKey: Number(model.sessionKey) as SessionKey,
  ordinal: Number(model.ordinal),
  permissionId: model.permissionId as PermissionId,
  scopeKey: Number(model.scopeKey) as ScopeKey,
  runId: model.runId as RunId,
  createdAt: Number(model.createdAt),
  state: document.decode(model.state) as PermissionState,
})
