import { partIdOf } from '../../kernel/ids.ts'
import type { EntrySnapshot, EventBody, EventDraft, PartAddress, PermissionSnapshot } from '../event/event.ts'
import { type Entry, runIdOf, statusOf } from '../prompt/entry.ts'
import { type PromptEvent, promptMachine } from '../prompt/machine.ts'
import type { OpenPart } from '../message/message.ts'
import { errorOf } from '../run/outcome.ts'
import type { Run } from '../run/run.ts'
import type { Permission } from '../permission/permission.ts'
import { type Content, type ContentEvent, resolvedBy } from './content.ts'
import { assistantMessageId, userMessageId } from './project.ts'

/** The public events that report an event. `before` is the content that the event meets. */
export function announcementsOf(before: Content, event: ContentEvent): readonly EventDraft[] {
  const { key } = before.session
  const draft = (timestamp: number, body: EventBody): EventDraft => ({ sessionKey: key, timestamp, body })
  const { run } = before
  switch (event.type) {
    case 'entryQueued':
      return [draft(event.entry.createdAt, promptEvent('prompt.queued', event.entry))]
    case 'entryChanged':
      return before.entries
        .filter(({ queueId }) => queueId === event.entry.queueId)
        .map((entry) => entryDraft(entry, event, draft))
    case 'runAdmitted':
      return [
        draft(event.run.startedAt, {
          type: 'run.started',
          runId: event.run.runId,
          messageId: userMessageId(event.run),
        }),
      ]
    case 'messageCreated': {
      const { runId, messageId, index, createdAt } = event.message
      return [draft(createdAt, { type: 'message.created', runId, messageId, messageIndex: index })]
    }
    case 'messageUpdated':
      return run ? [draft(event.at, { type: 'message.updated', ...messageAddress(run, event.message) })] : []
    case 'partOpened':
      return run ? [draft(event.part.startedAt, { type: 'part.created', ...addressOf(run, event.part) })] : []
    case 'partClosed':
      return run ? [draft(event.at, { type: 'part.completed', ...addressOf(run, event.part) })] : []
    case 'callChanged': {
      const type = event.event.type === 'ended' ? 'part.completed' : 'part.updated'
      return run ? [draft(event.at, { type, ...addressOf(run, event.part) })] : []
    }
    case 'childLinked':
      return run ? [draft(event.at, { type: 'part.updated', ...addressOf(run, event.part) })] : []
    case 'permissionRequested': {
      const { permission } = event
      const type = permission.state.kind === 'pending' ? 'permission.requested' : 'permission.resolved'
      return [draft(permission.createdAt, permissionEvent(type, permission))]
    }
    case 'permissionResolved':
      return [
        draft(
          event.event.resolution.at,
          permissionEvent('permission.resolved', resolvedBy(event.permission, event.event)),
        ),
      ]
    case 'granted': {
      const { rememberKey, createdAt } = event.grant
      return [draft(createdAt, { type: 'grant.changed', rememberKey, change: 'GRANTED' })]
    }
    case 'grantRevoked':
      return [draft(event.at, { type: 'grant.changed', rememberKey: event.grant.rememberKey, change: 'REVOKED' })]
    case 'executionListed': {
      const { runId, intentId, toolCallId, toolName, uncertainSince } = event.execution
      return [draft(uncertainSince, { type: 'tool.uncertain', runId, intentId, toolCallId, toolName })]
    }
    case 'executionReconciled': {
      const { runId, intentId, toolCallId, toolName } = event.execution
      const { at, by, found } = event.event
      const { outcome } = found
      return [draft(at, { type: 'tool.reconciled', runId, intentId, toolCallId, toolName, outcome, by })]
    }
    case 'runChanged':
      return run ? runDrafts(run, event, draft) : []
    case 'workChanged':
    case 'partGrown':
    case 'logged':
      return []
  }
}

type Draft = (timestamp: number, body: EventBody) => EventDraft

function runDrafts(run: Run, { event, at }: Extract<ContentEvent, { type: 'runChanged' }>, draft: Draft): readonly EventDraft[] {
  if (event.type !== 'finished') return []
  const { status } = event.outcome
  const { runId } = run
  return [
    draft(at, { type: 'run.finished', runId, messageId: assistantMessageId(run), status, error: errorOf(event.outcome) }),
  ]
}

function entryDraft(entry: Entry, { event }: Extract<ContentEvent, { type: 'entryChanged' }>, draft: Draft): EventDraft {
  const after = { ...entry, state: promptMachine.evolve(entry.state, event) }
  return draft(event.at, promptEvent(`prompt.${event.type}`, after))
}

const promptEvent = (type: `prompt.${'queued' | PromptEvent['type']}`, entry: Entry) => ({
  type,
  queueId: entry.queueId,
  runId: runIdOf(entry),
  entry: snapshotOf(entry),
})

const permissionEvent = (type: 'permission.requested' | 'permission.resolved', permission: Permission) => ({
  type,
  runId: permission.runId,
  permission: permissionSnapshotOf(permission),
})

/** What events and answers tell of a request for permission. */
export function permissionSnapshotOf(permission: Permission): PermissionSnapshot {
  const { scopeKey: _scope, sessionKey: _session, ordinal: _ordinal, ...snapshot } = permission
  return snapshot
}

/** What events and answers tell of an entry. */
export function snapshotOf(entry: Entry): EntrySnapshot {
  const { queueId, clientRequestId, budget, createdBy, createdAt, state } = entry
  return {
    queueId,
    status: statusOf(entry),
    runId: runIdOf(entry),
    error: state.kind === 'finished' ? state.error : null,
    clientRequestId,
    budget,
    createdBy,
    createdAt,
    startedAt: state.kind === 'queued' ? null : state.startedAt,
    finishedAt: state.kind === 'finished' ? state.finishedAt : null,
  }
}

const messageAddress = (run: Run, which: 'user' | 'assistant') => ({
  runId: run.runId,
  messageId: which === 'user' ? userMessageId(run) : assistantMessageId(run),
  messageIndex: which === 'user' ? run.userMessageIndex : run.assistantMessageIndex,
})

export const addressOf = (run: Run, { partIndex }: Pick<OpenPart, 'partIndex'>): PartAddress => ({
  runId: run.runId,
  messageId: assistantMessageId(run),
  partId: partIdOf(assistantMessageId(run), partIndex),
  messageIndex: run.assistantMessageIndex,
  partIndex,
})
