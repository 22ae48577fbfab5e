import type { SessionKey, WriteId } from '../../kernel/ids.ts'
import type { Tombstone } from '../../domain/deletion/tombstone.ts'
import type { EventBody, HarnessEvent } from '../../domain/event/event.ts'
import type { LogEntry } from '../../domain/log/entry.ts'
import type { Grant } from '../../domain/permission/grant.ts'
import type { Permission } from '../../domain/permission/permission.ts'
import type { UncertainExecution } from '../../domain/tool/execution.ts'
import type { Message, Part } from '../../domain/message/message.ts'
import type { Entry } from '../../domain/prompt/entry.ts'
import type { Prompt } from '../../domain/prompt/prompt.ts'
import type { Run } from '../../domain/run/run.ts'
import { rootOf } from '../../domain/session/session.ts'
import type { Scope } from '../../domain/scope/scope.ts'
import type { Chunk, ClientRequest } from '../../domain/session/writes.ts'
import type { StoredSession } from '../../ports/stores/sessions.ts'
import { Journal } from './journal.ts'
import { Table } from './table.ts'

export interface EntryRow {
  readonly entry: Entry
  readonly prompt: Prompt
}

/** An event; without a body once it was erased with its session. */
export interface EventRow extends Omit<HarnessEvent, 'body'> {
  readonly body: EventBody | null
}

/** How often sessions were created or reserved below one. There is no row while none was. */
export interface TreeChanges {
  readonly key: SessionKey
  readonly changes: number
}

/** Says of a commit group that it was committed, or that it never will be. */
export interface CommitRecord {
  readonly writeId: WriteId
  readonly outcome: 'committed' | 'absent'
  readonly createdAt: number
}

export interface MemoryTables {
  readonly journal: Journal
  readonly scopes: Table<Scope>
  readonly sessions: Table<StoredSession>
  readonly changes: Table<TreeChanges>
  readonly tombstones: Table<Tombstone>
  readonly entries: Table<EntryRow>
  readonly runs: Table<Run>
  readonly messages: Table<Message>
  readonly parts: Table<Part>
  readonly chunks: Table<Chunk>
  readonly log: Table<LogEntry>
  readonly permissions: Table<Permission>
  readonly grants: Table<Grant>
  readonly executions: Table<UncertainExecution>
  readonly events: Table<EventRow>
  readonly requests: Table<ClientRequest>
  readonly records: Table<CommitRecord>
}

/** The owner of rows that belong to nothing. */
export const NOBODY = 0

export const sessionByKey = (key: SessionKey): string => `key ${key}`
export const sessionByPath = (scopeKey: number, path: string): string => `path ${scopeKey} ${path}`
export const sessionBySequence = (scopeKey: number, sequence: number): string => `sequence ${scopeKey} ${sequence}`

export const eventsOfSession = (scopeKey: number, path: string): string => `session ${scopeKey} ${path}`
export const eventsOfTree = (scopeKey: number, path: string): string => `tree ${scopeKey} ${rootOf(path)}`

type PartAddress = Pick<Chunk, 'messageIndex' | 'partIndex'>
export const partKey = ({ messageIndex, partIndex }: PartAddress): string => `${messageIndex}.${partIndex}`

export const requestKey = ({ owner, clientRequestId }: Pick<ClientRequest, 'owner' | 'clientRequestId'>): string =>
  `${owner} ${clientRequestId}`

/** Empty tables. */
export function memoryTables(): MemoryTables {
  const journal = new Journal()
  return {
    journal,
    scopes: new Table<Scope>(
      { name: 'scope', owner: () => NOBODY, key: ({ storageKey }) => storageKey, ids: ({ key }) => [String(key)] },
      journal,
    ),
    sessions: new Table<StoredSession>(
      { name: 'session', owner: ({ scopeKey }) => scopeKey, key: ({ sessionId }) => sessionId, ids: sessionIds },
      journal,
    ),
    changes: new Table<TreeChanges>({ name: 'count of changes', owner: () => NOBODY, key: ({ key }) => key }, journal),
    tombstones: new Table<Tombstone>(
      {
        name: 'tombstone',
        owner: ({ scopeKey }) => scopeKey,
        key: ({ sessionId }) => sessionId,
        ids: ({ key, scopeKey, path }) => [sessionByKey(key), sessionByPath(scopeKey, path)],
        groups: ({ group }) => [String(group)],
      },
      journal,
    ),
    entries: new Table<EntryRow>(
      {
        name: 'queue entry',
        owner: ({ entry }) => entry.sessionKey,
        key: ({ entry }) => entry.ordinal,
        ids: ({ entry }) => [entry.queueId],
      },
      journal,
    ),
    runs: new Table<Run>({ name: 'run', owner, key: ordinal, ids: ({ runId }) => [runId] }, journal),
    messages: new Table<Message>({ name: 'message', owner, key: index, ids: ({ messageId }) => [messageId] }, journal),
    parts: new Table<Part>({ name: 'part', owner, key: partKey }, journal),
    chunks: new Table<Chunk>({ name: 'chunk', owner, key: (chunk) => `${partKey(chunk)}.${chunk.offset}` }, journal),
    log: new Table<LogEntry>({ name: 'log entry', owner, key: index }, journal),
    permissions: new Table<Permission>(
      { name: 'permission', owner, key: ordinal, ids: ({ permissionId }) => [permissionId] },
      journal,
    ),
    grants: new Table<Grant>({ name: 'grant', owner, key: ({ rememberKey }) => rememberKey }, journal),
    executions: new Table<UncertainExecution>(
      { name: 'uncertain execution', owner, key: ordinal, ids: ({ intentId }) => [intentId] },
      journal,
    ),
    events: new Table<EventRow>(
      { name: 'event', owner: ({ scopeKey }) => scopeKey, key: ({ sequence }) => sequence, groups: eventGroups },
      journal,
    ),
    requests: new Table<ClientRequest>(
      { name: 'request', owner: ({ scopeKey }) => scopeKey, key: requestKey },
      journal,
    ),
    records: new Table<CommitRecord>(
      { name: 'commit record', owner: () => NOBODY, key: ({ writeId }) => writeId },
      journal,
    ),
  }
}

const owner = ({ sessionKey }: { readonly sessionKey: SessionKey }): number => sessionKey
const ordinal = (row: { readonly ordinal: number }): number => row.ordinal
const index = (row: { readonly index: number }): number => row.index

const eventGroups = ({ scopeKey, path }: EventRow): readonly string[] => [
  eventsOfSession(scopeKey, path),
  eventsOfTree(scopeKey, path),
]

const sessionIds = ({ key, scopeKey, place, generation }: StoredSession): readonly string[] => [
  sessionByKey(key),
  sessionByPath(scopeKey, place.path),
  sessionBySequence(scopeKey, generation.generationSequence),
]
