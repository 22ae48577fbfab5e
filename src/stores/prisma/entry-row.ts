import type { QueueId, ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { Delegation } from '../../domain/delegation/delegation.ts'
import { type Entry, type EntryState, statusOf } from '../../domain/prompt/entry.ts'
import type { Budget } from '../../domain/run/budget.ts'
import type { Prompt, WhenBusy } from '../../domain/prompt/prompt.ts'
import { document } from './document.ts'
import type { QueueEntry as EntryModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

/** The prompt, which may be long, is read apart. */
export type EntryRead = Omit<EntryModel, 'prompt'>

const columns: ColumnsOf<EntryModel> = {
  sessionKey: 'bigint',
  ordinal: 'bigint',
  queueId: 'text',
  rank: 'bigint',
  bytes: 'bigint',
  whenBusy: 'text',
  budget: 'document',
  scopeId: 'text',
  clientRequestId: 'text',
  delegation: 'document',
  createdBy: 'text',
  createdAt: 'bigint',
  status: 'text',
  outstanding: 'boolean',
  state: 'document',
  prompt: 'document',
}

export const entryTable: Table<keyof EntryModel> = {
  name: 'QueueEntry',
  columns,
  key: ['sessionKey', 'ordinal'],
  mutable: ['status', 'outstanding', 'state'],
}

export const entryRow = (entry: Entry): Omit<RowOf<EntryModel>, 'prompt'> => ({
  sessionKey: entry.sessionKey,
  ordinal: entry.ordinal,
  queueId: entry.queueId,
  rank: entry.rank,
  bytes: entry.bytes,
  whenBusy: entry.whenBusy,
  budget: entry.budget && document.encode(entry.budget),
  scopeId: entry.scopeId,
  clientRequestId: entry.clientRequestId,
  delegation: entry.delegation && document.encode(entry.delegation),
  createdBy: entry.createdBy,
  createdAt: entry.createdAt,
  status: statusOf(entry),
  outstanding: entry.state.kind !== 'finished',
  state: document.encode(entry.state),
})

export const newEntryRow = (entry: Entry, prompt: Prompt): RowOf<EntryModel> => ({
  ...entryRow(entry),
  prompt: document.encode(prompt),
})

export const entryOf = (model: EntryRead): Entry => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  ordinal: Number(model.ordinal),
  queueId: model.queueId as QueueId,
  rank: Number(model.rank),
  bytes: Number(model.bytes),
  whenBusy: model.whenBusy as WhenBusy,
  budget: model.budget === null ? null : (document.decode(model.budget) as Budget),
  scopeId: model.scopeId as ScopeId,
  clientRequestId: model.clientRequestId,
  delegation: model.delegation === null ? null : (document.decode(model.delegation) as Delegation),
  createdBy: model.createdBy,
  createdAt: Number(model.createdAt),
  state: document.decode(model.state) as EntryState,
})
