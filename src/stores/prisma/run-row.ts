import type { GenerationId, QueueId, RunId, ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { ModelIdentity, PartRange, Run, RunState } from '../../domain/run/run.ts'
import type { Budget } from '../../domain/run/budget.ts'
import { document } from './document.ts'
import type { Run as RunModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'
import { usageColumns, usageOf } from './usage-columns.ts'

const columns: ColumnsOf<RunModel> = {
  sessionKey: 'bigint',
  ordinal: 'bigint',
  runId: 'text',
  queueId: 'text',
  generationId: 'text',
  epoch: 'bigint',
  scopeId: 'text',
  startedAt: 'bigint',
  userMessageIndex: 'bigint',
  assistantMessageIndex: 'bigint',
  modelProvider: 'text',
  modelId: 'text',
  steps: 'integer',
  partCount: 'integer',
  attempts: 'integer',
  owner: 'text',
  stepFrom: 'integer',
  superseded: 'document',
  ...usageColumns,
  budget: 'document',
  workedMs: 'bigint',
  state: 'document',
}

export const runTable: Table<keyof RunModel> = {
  name: 'Run',
  columns,
  key: ['sessionKey', 'ordinal'],
  mutable: [
    'epoch',
    'modelProvider',
    'modelId',
    'steps',
    'partCount',
    'attempts',
    'owner',
    'stepFrom',
    'superseded',
    'inputTokens',
    'outputTokens',
    'totalTokens',
    'reasoningTokens',
    'cachedInputTokens',
    'workedMs',
    'state',
  ],
}

export const runRow = (run: Run): RowOf<RunModel> => ({
  sessionKey: run.sessionKey,
  ordinal: run.ordinal,
  runId: run.runId,
  queueId: run.queueId,
  generationId: run.generationId,
  epoch: run.epoch,
  scopeId: run.scopeId,
  startedAt: run.startedAt,
  userMessageIndex: run.userMessageIndex,
  assistantMessageIndex: run.assistantMessageIndex,
  modelProvider: run.model?.provider ?? null,
  modelId: run.model?.id ?? null,
  steps: run.steps,
  partCount: run.partCount,
  attempts: run.attempts,
  owner: run.owner,
  stepFrom: run.stepFrom,
  superseded: document.encode(run.superseded),
  ...run.usage,
  budget: run.budget && document.encode(run.budget),
  workedMs: run.workedMs,
  state: document.encode(run.state),
})

export const runOf = (model: RunModel): Run => ({
  sessionKey: Number(model.sessionKey) as SessionKey,
  ordinal: Number(model.ordinal),
  runId: model.runId as RunId,
  queueId: model.queueId as QueueId,
  generationId: model.generationId as GenerationId,
  epoch: Number(model.epoch),
  scopeId: model.scopeId as ScopeId,
  startedAt: Number(model.startedAt),
  userMessageIndex: Number(model.userMessageIndex),
  assistantMessageIndex: Number(model.assistantMessageIndex),
  model: modelOf(model),
  steps: model.steps,
  usage: usageOf(model),
  budget: model.budget === null ? null : (document.decode(model.budget) as Budget),
  workedMs: Number(model.workedMs),
  partCount: model.partCount,
  attempts: model.attempts,
  owner: model.owner,
  stepFrom: model.stepFrom,
  superseded: document.decode(model.superseded) as readonly PartRange[],
  state: document.decode(model.state) as RunState,
})

const modelOf = ({ modelProvider, modelId }: RunModel): ModelIdentity | null =>
  modelProvider === null || modelId === null ? null : { provider: modelProvider, id: modelId }
