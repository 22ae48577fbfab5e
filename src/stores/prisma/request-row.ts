import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { ClientRequest } from '../../domain/session/writes.ts'
import type { ClientRequest as RequestModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<RequestModel> = {
  scopeKey: 'bigint',
  owner: 'bigint',
  clientRequestId: 'text',
  digest: 'text',
  result: 'text',
  createdAt: 'bigint',
}

export const requestTable: Table<keyof RequestModel> = {
  name: 'ClientRequest',
  columns,
  key: ['owner', 'scopeKey', 'clientRequestId'],
  mutable: [],
}

export const requestRow = (request: ClientRequest): RowOf<RequestModel> => ({ ...request })

export const requestOf = (model: RequestModel): ClientRequest => ({
  scopeKey: Number(model.scopeKey) as ScopeKey,
  owner: Number(model.owner) as SessionKey | 0,
  clientRequestId: model.clientRequestId,
  digest: model.digest,
  result: model.result,
  createdAt: Number(model.createdAt),
})
