import type { GenerationId, RunId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { type Origin, type Session, statusOf, type Work } from '../../domain/session/session.ts'
import type { NewSession } from '../../domain/session/writes.ts'
import type { StoredSession } from '../../ports/stores/sessions.ts'
import { asciiLower } from './ascii-lower.ts'
import { document } from './document.ts'
import type { Session as SessionModel } from './generated/sqlite/client.ts'
import type { contentColumns } from './session-table.ts'
import type { RowOf } from './table.ts'
import { usageOf } from './usage-columns.ts'

type TreeTotal = Extract<keyof SessionModel, `tree${string}` | 'descendants'>
type Numbered = 'generationSequence' | 'path'
type NewSessionRow = Omit<RowOf<SessionModel>, TreeTotal | Numbered | 'writeId'>
type ContentRow = Pick<NewSessionRow, 'key' | (typeof contentColumns)[number]>

/** The columns that a change of a session's content replaces. */
export function contentRow(session: Omit<Session, 'generation' | 'place'>): ContentRow {
  const { key, title, metadata, updatedAt, revision, epoch, work, owner, next, usage } = session
  return {
    key,
    title,
    titleSearch: title === null ? null : asciiLower(title),
    metadata: metadata === null ? null : document.encode(metadata),
    updatedAt,
    revision,
    epoch,
    status: statusOf(session),
    work: document.encode(work),
    owner,
    nextEntry: next.entry,
    nextRun: next.run,
    nextMessage: next.message,
    nextLog: next.log,
    nextPermission: next.permission,
    nextExecution: next.execution,
    ...usage,
  }
}

export function newSessionRow(session: NewSession): NewSessionRow {
  const { scopeKey, sessionId, generationId, place, createdBy, createdAt } = session
  return {
    ...contentRow(session),
    scopeKey,
    sessionId,
    generationId,
    parentKey: place.parentKey,
    rootKey: place.rootKey,
    depth: place.depth,
    agent: place.agent,
    parentRunId: place.origin?.parentRunId ?? null,
    parentToolCallId: place.origin?.parentToolCallId ?? null,
    createdBy,
    createdAt,
  }
}

export const sessionOf = (model: SessionModel): StoredSession => ({
  key: Number(model.key) as SessionKey,
  scopeKey: Number(model.scopeKey) as ScopeKey,
  sessionId: model.sessionId as SessionId,
  generation: {
    generationId: model.generationId as GenerationId,
    generationSequence: Number(model.generationSequence),
  },
  place: {
    parentKey: model.parentKey === null ? null : (Number(model.parentKey) as SessionKey),
    rootKey: Number(model.rootKey) as SessionKey,
    depth: model.depth,
    path: model.path,
    agent: model.agent,
    origin: originOf(model),
  },
  title: model.title,
  metadata: model.metadata === null ? null : document.decode(model.metadata) as JsonObject,
  createdBy: model.createdBy,
  createdAt: Number(model.createdAt),
  updatedAt: Number(model.updatedAt),
  revision: Number(model.revision),
  epoch: Number(model.epoch),
  work: document.decode(model.work) as Work,
  owner: model.owner,
  next: {
    entry: Number(model.nextEntry),
    run: Number(model.nextRun),
    message: Number(model.nextMessage),
    log: Number(model.nextLog),
    permission: Number(model.nextPermission),
    execution: Number(model.nextExecution),
  },
  usage: usageOf(model),
  tree: {
    usage: usageOf({
      inputTokens: model.treeInputTokens,
      outputTokens: model.treeOutputTokens,
      totalTokens: model.treeTotalTokens,
      reasoningTokens: model.treeReasoningTokens,
      cachedInputTokens: model.treeCachedInputTokens,
    }),
    descendants: Number(model.descendants),
  },
})

const originOf = ({ parentRunId, parentToolCallId }: SessionModel): Origin | null =>
  parentRunId === null || parentToolCallId === null ? null : { parentRunId: parentRunId as RunId, parentToolCallId }
