import type { MessageId, RunId, SessionKey } from '../../kernel/ids.ts'
import type { Message, Role } from '../../domain/message/message.ts'
import type { PartRange } from '../../domain/run/run.ts'
import { document } from './document.ts'
import type { Message as MessageModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<MessageModel> = {
  sessionKey: 'bigint',
  index: 'bigint',
  messageId: 'text',
  runId: 'text',
  role: 'text',
  createdAt: 'bigint',
  updatedAt: 'bigint',
  superseded: 'document',
}

export const messageTable: Table<keyof MessageModel> = {
  name: 'Message',
  columns,
  key: ['sessionKey', 'index'],
  mutable: ['updatedAt', 'superseded'],
}

export const messageRow = (message: Message): RowOf<MessageModel> => ({
  ...message,
  superseded: document.encode(message.superseded),
})

export const messageOf = (model: MessageModel): Message => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  index: Number(model.index),
  messageId: model.messageId as MessageId,
  runId: model.runId as RunId,
  role: model.role as Role,
  createdAt: Number(model.createdAt),
  updatedAt: Number(model.updatedAt),
  superseded: document.decode(model.superseded) as readonly PartRange[],
})
