import {
  intentIdOf,
  messageIdOf,
  partIdOf,
  type PermissionId,
  type QueueId,
  type RunId,
  type ScopeId,
} from '../../../src/kernel/ids.ts'
import type { EventBody, EventDraft } from '../../../src/domain/event/event.ts'
import type { LogEntry } from '../../../src/domain/log/entry.ts'
import type { Message, Part, ToolPartBody } from '../../../src/domain/message/message.ts'
import type { Grant } from '../../../src/domain/permission/grant.ts'
import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import type { Prompt } from '../../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../../src/domain/run/outcome.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { noUsage, type Usage } from '../../../src/domain/run/usage.ts'
import type { Session } from '../../../src/domain/session/session.ts'
import type { Chunk, ClientRequest, RowWrite } from '../../../src/domain/session/writes.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import { NOW } from './world.ts'

/** Rows as a session could have them, one by one; the ids follow from the session's generation. */

export const completed: RunOutcome = { status: 'COMPLETED' }

export const scopeId = 'a scope' as ScopeId

export const queueIdOf = ({ generation }: Session, ordinal: number): QueueId =>
  `${generation.generationId}-queue-${ordinal}` as QueueId

export const runIdOf = ({ generation }: Session, ordinal: number): RunId =>
  `${generation.generationId}-run-${ordinal}` as RunId

export const usageOf = (tokens: number): Usage => ({
  inputTokens: tokens,
  outputTokens: tokens + 1,
  totalTokens: tokens + 2,
  reasoningTokens: tokens + 3,
  cachedInputTokens: tokens + 4,
})

export const promptOf = (text: string): Prompt => ({
  text,
  attachments: [],
  options: { modelHint: null, system: null, maxSteps: null, budget: null },
})

export const entryOf = (session: Session, ordinal: number, fields: Partial<Entry> = {}): Entry => ({
  sessionKey: session.key,
  ordinal,
  queueId: queueIdOf(session, ordinal),
  rank: ordinal,
  bytes: 5,
  whenBusy: 'ENQUEUE',
  budget: null,
  scopeId,
  clientRequestId: null,
  delegation: null,
  createdBy: 'somebody',
  createdAt: NOW,
  state: { kind: 'queued' },
  ...fields,
})

export const finishedState = (runId: RunId | null): Entry['state'] => ({
  kind: 'finished',
  status: 'COMPLETED',
  error: null,
  runId,
  startedAt: NOW,
  finishedAt: NOW + 1,
})

export const runOf = (session: Session, ordinal: number, fields: Partial<Run> = {}): Run => ({
  sessionKey: session.key,
  ordinal,
  runId: runIdOf(session, ordinal),
  queueId: queueIdOf(session, ordinal),
  generationId: session.generation.generationId,
  epoch: ordinal + 1,
  scopeId,
  startedAt: NOW,
  userMessageIndex: 2 * ordinal,
  assistantMessageIndex: 2 * ordinal + 1,
  model: null,
  steps: 0,
  usage: noUsage,
  budget: null,
  workedMs: 0,
  partCount: 0,
  attempts: 1,
  owner: 'a server',
  stepFrom: 0,
  superseded: [],
  state: { kind: 'resolving', aborting: null },
  ...fields,
})

/** Two messages a run: even ones are the user's. */
export function messageOf(session: Session, index: number, fields: Partial<Message> = {}): Message {
  const runId = runIdOf(session, Math.floor(index / 2))
  return {
    sessionKey: session.key,
    index,
    messageId: messageIdOf(runId, index % 2),
    runId,
    role: index % 2 === 0 ? 'USER' : 'ASSISTANT',
    createdAt: NOW,
    updatedAt: NOW,
    superseded: [],
    ...fields,
  }
}

export const partOf = (message: Message, partIndex: number, fields: Partial<Part> = {}): Part => ({
  sessionKey: message.sessionKey,
  messageIndex: message.index,
  partIndex,
  partId: partIdOf(message.messageId, partIndex),
  status: 'COMPLETED',
  body: { kind: 'text', text: `part ${partIndex}` },
  startedAt: NOW,
  finishedAt: NOW + 1,
  ...fields,
})

export const openPartOf = (message: Message, partIndex: number): Part =>
  partOf(message, partIndex, { status: 'RUNNING', body: { kind: 'text', text: '' }, finishedAt: null })

/** The body of a tool call that nobody has begun. */
export const toolBodyOf = (name: string, fields: Partial<ToolPartBody> = {}): ToolPartBody => ({
  kind: 'tool',
  toolCallId: `call ${name}`,
  providerCallId: name,
  toolName: `tool ${name}`,
  input: { name },
  effect: 'once',
  permissionId: null,
  begunAt: null,
  child: null,
  output: null,
  error: null,
  ...fields,
})

const addressOf = ({ sessionKey, messageIndex, partIndex }: Part): Omit<Chunk, 'offset' | 'text'> => ({
  sessionKey,
  messageIndex,
  partIndex,
})

export const chunkOf = (part: Part, offset: number, text: string): Chunk => ({ ...addressOf(part), offset, text })

export const logOf = (session: Session, index: number, fields: Partial<LogEntry> = {}): LogEntry => ({
  sessionKey: session.key,
  index,
  runId: runIdOf(session, 0),
  createdAt: NOW,
  body: { kind: 'step', output: { index } },
  ...fields,
})

export const requestOf = (
  session: Session,
  clientRequestId: string,
  fields: Partial<ClientRequest> = {},
): ClientRequest => ({
  scopeKey: session.scopeKey,
  owner: session.key,
  clientRequestId,
  digest: 'd1',
  result: 'r1',
  createdAt: NOW,
  ...fields,
})

export const permissionIdOf = ({ generation }: Session, ordinal: number): PermissionId =>
  `${generation.generationId}-permission-${ordinal}` as PermissionId

/** A request that waits. */
export const permissionOf = (session: Session, ordinal: number, fields: Partial<Permission> = {}): Permission => ({
  scopeKey: session.scopeKey,
  sessionKey: session.key,
  ordinal,
  permissionId: permissionIdOf(session, ordinal),
  runId: runIdOf(session, 0),
  kind: 'tool',
  description: `May it do ${ordinal}?`,
  toolCallId: `call ${ordinal}`,
  rememberKey: `key ${ordinal}`,
  metadata: { ordinal },
  createdAt: NOW + ordinal,
  state: { kind: 'pending' },
  ...fields,
})

export const resolvedState = (at: number): Permission['state'] => ({
  kind: 'resolved',
  decision: 'ONCE',
  message: null,
  by: 'somebody',
  at,
})

export const grantOf = (session: Session, rememberKey: string, fields: Partial<Grant> = {}): Grant => ({
  sessionKey: session.key,
  rememberKey,
  permissionId: permissionIdOf(session, 0),
  grantedBy: 'somebody',
  createdAt: NOW,
  ...fields,
})

export const executionOf = (
  session: Session,
  ordinal: number,
  fields: Partial<UncertainExecution> = {},
): UncertainExecution => ({
  sessionKey: session.key,
  ordinal,
  intentId: intentIdOf(runIdOf(session, 0), ordinal),
  runId: runIdOf(session, 0),
  toolCallId: `call ${ordinal}`,
  toolName: 'tool',
  messageIndex: 1,
  partIndex: ordinal,
  startedAt: NOW + ordinal,
  uncertainSince: NOW + ordinal + 1,
  state: { kind: 'uncertain' },
  ...fields,
})

export const reconciledState = (at: number): UncertainExecution['state'] => ({
  kind: 'reconciled',
  found: { outcome: 'NOT_EXECUTED' },
  by: 'somebody',
  at,
})

/** An event of the session's that tells itself from others by `n`. */
export const draftOf = (session: Pick<Session, 'key'>, n: number, body?: EventBody): EventDraft => ({
  sessionKey: session.key,
  timestamp: NOW + n,
  body: body ?? { type: 'run.started', runId: `run ${n}` as RunId, messageId: messageIdOf(`run ${n}` as RunId, 0) },
})

export const insertEntry = (row: Entry, prompt: Prompt = promptOf('hello')): RowWrite => ({
  table: 'entry',
  op: 'insert',
  row,
  prompt,
})

export const updateEntry = (row: Entry): RowWrite => ({ table: 'entry', op: 'update', row })
export const insertRun = (row: Run): RowWrite => ({ table: 'run', op: 'insert', row })
export const updateRun = (row: Run): RowWrite => ({ table: 'run', op: 'update', row })
export const insertMessage = (row: Message): RowWrite => ({ table: 'message', op: 'insert', row })
export const updateMessage = (row: Message): RowWrite => ({ table: 'message', op: 'update', row })
export const insertPart = (row: Part): RowWrite => ({ table: 'part', op: 'insert', row })
export const updatePart = (row: Part): RowWrite => ({ table: 'part', op: 'update', row })
export const insertChunk = (row: Chunk): RowWrite => ({ table: 'chunk', op: 'insert', row })
export const foldChunks = (part: Part): RowWrite => ({ table: 'chunk', op: 'fold', row: addressOf(part) })
export const insertLog = (row: LogEntry): RowWrite => ({ table: 'log', op: 'insert', row })
export const insertPermission = (row: Permission): RowWrite => ({ table: 'permission', op: 'insert', row })
export const updatePermission = (row: Permission): RowWrite => ({ table: 'permission', op: 'update', row })
export const insertGrant = (row: Grant): RowWrite => ({ table: 'grant', op: 'insert', row })
export const deleteGrant = (row: Grant): RowWrite => ({ table: 'grant', op: 'delete', row })
export const insertExecution = (row: UncertainExecution): RowWrite => ({ table: 'execution', op: 'insert', row })
export const updateExecution = (row: UncertainExecution): RowWrite => ({ table: 'execution', op: 'update', row })
export const insertRequest = (row: ClientRequest): RowWrite => ({ table: 'request', op: 'insert', row })
