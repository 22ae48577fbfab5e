import type { PartId, SessionKey } from '../../kernel/ids.ts'
import { isStreaming, type Part, type PartBody, type PartStatus } from '../../domain/message/message.ts'
import { document } from './document.ts'
import type { Part as PartModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<PartModel> = {
  sessionKey: 'bigint',
  messageIndex: 'bigint',
  partIndex: 'integer',
  partId: 'text',
  status: 'text',
  body: 'document',
  startedAt: 'bigint',
  finishedAt: 'bigint',
}

export const partTable: Table<keyof PartModel> = {
  name: 'Part',
  columns,
  key: ['sessionKey', 'messageIndex', 'partIndex'],
  mutable: ['status', 'body', 'finishedAt'],
}

export const partRow = (part: Part): RowOf<PartModel> => ({ ...part, body: document.encode(part.body) })

/** `streamed` is the text of the part's chunks. */
export const partOf = (model: PartModel, streamed: string): Part => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  messageIndex: Number(model.messageIndex),
  partIndex: model.partIndex,
  partId: model.partId as PartId,
  status: model.status as PartStatus,
  body: joined(document.decode(model.body) as PartBody, streamed),
  startedAt: Number(model.startedAt),
  finishedAt: model.finishedAt === null ? null : Number(model.finishedAt),
})

const joined = (body: PartBody, streamed: string): PartBody =>
  isStreaming(body) && streamed !== '' ? { ...body, text: body.text + streamed } : body
