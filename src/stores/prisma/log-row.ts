import type { RunId, SessionKey } from '../../kernel/ids.ts'
import type { LogBody, LogEntry } from '../../domain/log/entry.ts'
import { document } from './document.ts'
import type { LogEntry as LogModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<LogModel> = {
  sessionKey: 'bigint',
  index: 'bigint',
  runId: 'text',
  createdAt: 'bigint',
  body: 'document',
}

export const logTable: Table<keyof LogModel> = { name: 'LogEntry', columns, key: ['sessionKey', 'index'], mutable: [] }

export const logRow = (entry: LogEntry): RowOf<LogModel> => ({ ...entry, body: document.encode(entry.body) })

export const logEntryOf = (model: LogModel): LogEntry => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  index: Number(model.index),
  runId: model.runId as RunId,
  createdAt: Number(model.createdAt),
  body: document.decode(model.body) as LogBody,
})
