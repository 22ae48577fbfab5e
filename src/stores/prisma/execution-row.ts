import type { IntentId, RunId, SessionKey } from '../../kernel/ids.ts'
import type { ExecutionState, UncertainExecution } from '../../domain/tool/execution.ts'
import { document } from './document.ts'
import type { UncertainExecution as ExecutionModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

/** What was called. The id may be any text, as the name of the tool may, so they are kept as one document. */
type Call = Pick<UncertainExecution, 'toolCallId' | 'toolName'>

const columns: ColumnsOf<ExecutionModel> = {
  sessionKey: 'bigint',
  ordinal: 'bigint',
  intentId: 'text',
  runId: 'text',
  messageIndex: 'bigint',
  partIndex: 'integer',
  startedAt: 'bigint',
  uncertainSince: 'bigint',
  uncertain: 'boolean',
  call: 'document',
  state: 'document',
}

export const executionTable: Table<keyof ExecutionModel> = {
  name: 'UncertainExecution',
  columns,
  key: ['sessionKey', 'ordinal'],
  mutable: ['uncertain', 'state'],
}

export function executionRow({ toolCallId, toolName, state, ...rest }: UncertainExecution): RowOf<ExecutionModel> {
  const call: Call = { toolCallId, toolName }
  return { ...rest, uncertain: state.kind === 'uncertain', call: document.encode(call), state: document.encode(state) }
}

export const executionOf = (model: ExecutionModel): UncertainExecution => ({
  ...(document.decode(model.call) as Call),
  sessionKey: Number(model.sessionKey) as SessionKey,
  ordinal: Number(model.ordinal),
  intentId: model.intentId as IntentId,
  runId: model.runId as RunId,
  messageIndex: Number(model.messageIndex),
  partIndex: model.partIndex,
  startedAt: Number(model.startedAt),
  uncertainSince: Number(model.uncertainSince),
  state: document.decode(model.state) as ExecutionState,
})
