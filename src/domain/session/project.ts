import { messageIdOf, partIdOf } from '../../kernel/ids.ts'
import type { LogEntry } from '../log/entry.ts'
import type { Message, OpenPart, Part } from '../message/message.ts'
import { promptMachine } from '../prompt/machine.ts'
import { evolveRun } from '../run/evolve-run.ts'
import type { Run } from '../run/run.ts'
import type { Content, ContentEvent } from './content.ts'
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
    case 'partOpened':
    case 'partGrown':
    case 'partClosed':
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
})

const logEntryOf = ({ session }: Content, { run, body, at }: Extract<ContentEvent, { type: 'logged' }>): LogEntry => ({
  sessionKey: session.key,
  index: session.next.log,
  runId: run.runId,
  createdAt: at,
  body,
})

type PartEvent = Extract<ContentEvent, { type: 'partOpened' | 'partGrown' | 'partClosed' }>

function partWrites(run: Run, event: PartEvent): readonly RowWrite[] {
  const { partIndex } = event.part
  const address = { sessionKey: run.sessionKey, messageIndex: run.assistantMessageIndex, partIndex }
  switch (event.type) {
    case 'partOpened':
      return [
        { table: 'part', op: 'insert', row: partOf(run, event.part) },
        { table: 'run', op: 'update', row: { ...run, partCount: run.partCount + 1 } },
      ]
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
  }
}

const partOf = (run: Run, { partIndex, kind, startedAt }: OpenPart): Part => ({
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
