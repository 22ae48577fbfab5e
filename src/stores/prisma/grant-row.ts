import type { PermissionId, SessionKey } from '../../kernel/ids.ts'
import type { Grant } from '../../domain/permission/grant.ts'
import { escapedText } from './escaped-text.ts'
import type { Grant as GrantModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<GrantModel> = {
  sessionKey: 'bigint',
  rememberKey: 'text',
  permissionId: 'text',
  grantedBy: 'text',
  createdAt: 'bigint',
}

export const grantTable: Table<keyof GrantModel> = {
  name: 'Grant',
  columns,
  key: ['sessionKey', 'rememberKey'],
  mutable: [],
}

export const grantRow = (grant: Grant): RowOf<GrantModel> => ({
  ...grant,
  rememberKey: escapedText.encode(grant.rememberKey),
})

export const grantOf = (model: GrantModel): Grant => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  rememberKey: escapedText.decode(model.rememberKey),
  permissionId: model.permissionId as PermissionId,
  grantedBy: model.grantedBy,
  createdAt: Number(model.createdAt),
})
