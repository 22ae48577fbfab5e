import { messageIdOf, partIdOf } from '../../kernel/ids.ts'
import type { LogEntry } from '../log/entry.ts'
import type { Message, OpenText, OpenTool, Part, PartStatus } from '../message/message.ts'
import { promptMachine } from '../prompt/machine.ts'
import { evolveRun } from '../run/evolve-run.ts'
import type { Run } from '../run/run.ts'
import { begunAtOf } from '../tool/call.ts'
import { executionMachine } from '../tool/execution-machine.ts'
import { calledBy, type Content, type ContentEvent, resolvedBy } from './content.ts'
import type { RollUp, RowWrite } from './writes.ts'
import { prefixesOf } from './session.ts'

/**
 * The rows that an event changes, besides the session's own. `before` is the content that the event meets.
 * Law for every store: what is loaded after these writes equals the fold of the events over what was loaded before.
 */
export function writesOf(before: Content, event: ContentEvent): readonly RowWrite[] {
  switch (event.type) {
    case 'entryQueued':
      return [{ table: 'entry', op: 'insert', row: event.entry, prompt: event.prompt }]
    case 'entryChanged':
      return before.entries
        .filter(({ queueId }) => queueId === event.entry.queueId)
        .map((entry) => ({
          table: 'entry',
          op: 'update',
          row: { ...entry, state: promptMachine.evolve(entry.state, event.event) },
        }))
    case 'workChanged':
      return []
    case 'runAdmitted':
      return [{ table: 'run', op: 'insert', row: event.run }]
    case 'runChanged':
      return before.run ? [{ table: 'run', op: 'update', row: evolveRun(before.run, event.event) }] : []
    case 'messageCreated':
      return [
        { table: 'message', op: 'insert', row: event.message },
        ...event.parts.map((row) => ({ table: 'part', op: 'insert', row }) as const),
      ]
    case 'messageUpdated':
      return before.run ? [{ table: 'message', op: 'update', row: messageOf(before.run, event) }] : []
    case 'logged':
      return [{ table: 'log', op: 'insert', row: logEntryOf(before, event) }]
    case 'permissionRequested':
      return [{ table: 'permission', op: 'insert', row: event.permission }]
    case 'permissionResolved':
      return [{ table: 'permission', op: 'update', row: resolvedBy(event.permission, event.event) }]
    case 'granted':
      return [{ table: 'grant', op: 'insert', row: event.grant }]
    case 'grantRevoked':
      return [{ table: 'grant', op: 'delete', row: event.grant }]
    case 'executionListed':
      return [{ table: 'execution', op: 'insert', row: event.execution }]
    case 'executionReconciled': {
      const state = executionMachine.evolve(event.execution.state, event.event)
      return [{ table: 'execution', op: 'update', row: { ...event.execution, state } }]
    }
    case 'partOpened':
    case 'partGrown':
    case 'partClosed':
    case 'callChanged':
    case 'childLinked':
      return before.run ? partWrites(before.run, event) : []
  }
}

export const userMessageId = (run: Run) => messageIdOf(run.runId, 0)
export const assistantMessageId = (run: Run) => messageIdOf(run.runId, 1)

const messageOf = (run: Run, { message, at }: Extract<ContentEvent, { type: 'messageUpdated' }>): Message => ({
  sessionKey: run.sessionKey,
  index: message === 'user' ? run.userMessageIndex : run.assistantMessageIndex,
  messageId: message === 'user' ? userMessageId(run) : assistantMessageId(run),
  runId: run.runId,
  role: message === 'user' ? 'USER' : 'ASSISTANT',
  createdAt: run.startedAt,
  updatedAt: at,
  superseded: message === 'assistant' ? run.superseded : [],
})

const logEntryOf = ({ session }: Content, { runId, body, at }: Extract<ContentEvent, { type: 'logged' }>): LogEntry => ({
  sessionKey: session.key,
  index: session.next.log,
  runId,
  createdAt: at,
  body,
})

type PartEvent = Extract<ContentEvent, { type: 'partOpened' | 'partGrown' | 'partClosed' | 'callChanged' | 'childLinked' }>

function partWrites(run: Run, event: PartEvent): readonly RowWrite[] {
  const { partIndex } = event.part
  const address = { sessionKey: run.sessionKey, messageIndex: run.assistantMessageIndex, partIndex }
  switch (event.type) {
    case 'partOpened': {
      const { part } = event
      const row = part.kind === 'tool' ? toolPartOf(run, part, part.startedAt) : partOf(run, part)
      return [
        { table: 'part', op: 'insert', row },
        { table: 'run', op: 'update', row: { ...run, partCount: run.partCount + 1 } },
      ]
    }
    case 'partGrown':
      return [{ table: 'chunk', op: 'insert', row: { ...address, offset: event.offset, text: event.text } }]
    case 'partClosed': {
      const { part, text, status, at } = event
      const row = { ...partOf(run, part), status, body: { kind: part.kind, text }, finishedAt: at }
      return [
        { table: 'part', op: 'update', row },
        { table: 'chunk', op: 'fold', row: address },
      ]
    }
    case 'callChanged': {
      const row = toolPartOf(run, calledBy(event.part, event.event), event.at)
      return [{ table: 'part', op: 'update', row }]
    }
    case 'childLinked': {
      const row = toolPartOf(run, { ...event.part, child: event.child }, event.at)
      return [{ table: 'part', op: 'update', row }]
    }
  }
}

function toolPartOf(run: Run, part: OpenTool, at: number): Part {
  const { partIndex, startedAt, call, permissionId, child, state } = part
  const result = state.kind === 'ended' ? state.result : null
  const output = result?.status === 'COMPLETED' ? result.output : null
  const error = result && result.status !== 'COMPLETED' ? result.error : null
  return {
    sessionKey: run.sessionKey,
    messageIndex: run.assistantMessageIndex,
    partIndex,
    partId: partIdOf(assistantMessageId(run), partIndex),
    status: result?.status ?? openStatus[state.kind],
    body: { kind: 'tool', ...call, permissionId, begunAt: begunAtOf(state), child, output, error },
    startedAt,
    finishedAt: result ? at : null,
  }
}

const openStatus: Readonly<Record<OpenTool['state']['kind'], PartStatus>> = {
  pending: 'PENDING',
  awaiting: 'AWAITING_PERMISSION',
  running: 'RUNNING',
  unknown: 'UNCERTAIN',
  ended: 'COMPLETED',
}

const partOf = (run: Run, { partIndex, kind, startedAt }: OpenText): Part => ({
  sessionKey: run.sessionKey,
  messageIndex: run.assistantMessageIndex,
  partIndex,
  partId: partIdOf(assistantMessageId(run), partIndex),
  status: 'RUNNING',
  body: { kind, text: '' },
  startedAt,
  finishedAt: null,
})

/** What an event adds to the totals of the session and its ancestors. */
export function rollUpsOf({ session }: Content, event: ContentEvent): readonly RollUp[] {
  if (event.type !== 'runChanged' || event.event.type !== 'stepEnded') return []
  const { scopeKey, place } = session
  return [{ scopeKey, paths: prefixesOf(place.path), usage: event.event.usage, descendants: 0 }]
}
