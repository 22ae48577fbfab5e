import type { Session as SessionModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, Table } from './table.ts'
import { usageColumns } from './usage-columns.ts'

const columns: ColumnsOf<SessionModel> = {
  key: 'bigint',
  scopeKey: 'bigint',
  sessionId: 'text',
  generationId: 'text',
  generationSequence: 'bigint',
  parentKey: 'bigint',
  rootKey: 'bigint',
  depth: 'integer',
  path: 'text',
  agent: 'text',
  parentRunId: 'text',
  parentToolCallId: 'text',
  title: 'text',
  titleSearch: 'text',
  metadata: 'document',
  createdBy: 'text',
  createdAt: 'bigint',
  updatedAt: 'bigint',
  revision: 'bigint',
  epoch: 'bigint',
  writeId: 'text',
  status: 'text',
  work: 'document',
  owner: 'text',
  nextEntry: 'bigint',
  nextRun: 'bigint',
  nextMessage: 'bigint',
  nextLog: 'bigint',
  nextPermission: 'bigint',
  nextExecution: 'bigint',
  ...usageColumns,
  treeInputTokens: 'bigint',
  treeOutputTokens: 'bigint',
  treeTotalTokens: 'bigint',
  treeReasoningTokens: 'bigint',
  treeCachedInputTokens: 'bigint',
  descendants: 'bigint',
  treeChanges: 'bigint',
}

/** What a change of content replaces. */
export const contentColumns = [
  'title',
  'titleSearch',
  'metadata',
  'updatedAt',
  'revision',
  'epoch',
  'status',
  'work',
  'owner',
  'nextEntry',
  'nextRun',
  'nextMessage',
  'nextLog',
  'nextPermission',
  'nextExecution',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedInputTokens',
] as const

export const sessionTable: Table<keyof SessionModel> = {
  name: 'Session',
  columns,
  key: ['key'],
  mutable: contentColumns,
}

/** What the unit of work and the database add to the row of a new session. */
export const sessionColumnsAdded = [
  'generationSequence',
  'path',
  'writeId',
  'treeInputTokens',
  'treeOutputTokens',
  'treeTotalTokens',
  'treeReasoningTokens',
  'treeCachedInputTokens',
  'descendants',
  'treeChanges',
] as const
