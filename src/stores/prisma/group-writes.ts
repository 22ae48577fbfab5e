import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { EventDraft } from '../../domain/event/event.ts'
import { addUsage, noUsage, type Usage } from '../../domain/run/usage.ts'
import { revisionsOf, type StructureChange } from '../../domain/deletion/tombstone.ts'
import { prefixesOf } from '../../domain/session/session.ts'
import type { NewSession, RollUp, RowWrite, SessionWrite } from '../../domain/session/writes.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Commit } from '../../ports/stores/unit-of-work.ts'
import { chunkOwner, chunkRow, chunkTable } from './chunk-row.ts'
import { entryRow, entryTable, newEntryRow } from './entry-row.ts'
import { executionRow, executionTable } from './execution-row.ts'
import { grantRow, grantTable } from './grant-row.ts'
import { logRow, logTable } from './log-row.ts'
import { messageRow, messageTable } from './message-row.ts'
import { partRow, partTable } from './part-row.ts'
import { permissionRow, permissionTable } from './permission-row.ts'
import { requestRow, requestTable } from './request-row.ts'
import { RowSet } from './row-set.ts'
import { runRow, runTable } from './run-row.ts'
import type { Titled } from './title-gram-row.ts'

/**
 * What a group of commits changes, sorted by table and with at most one write per row, so that it can be done by bulk
 * statements, in which the order of rows says nothing. It is what doing one commit after the other would leave.
 */
export interface GroupWrites {
  readonly scopes: ReadonlyMap<ScopeKey, ScopeGrowth>
  readonly created: readonly NumberedWrite<NewSession>[]
  readonly sessions: readonly SessionWrite[]
  /** The sessions that get another title. */
  readonly retitled: readonly Titled[]
  readonly rollUps: readonly PathGain[]
  readonly tables: readonly RowSet[]
  /** The sessions that get a child and are not made by the group. */
  readonly parents: readonly SessionKey[]
  readonly structure: StructureChange | undefined
  /** The parts that lose their chunks. */
  readonly folded: readonly ChunkOwner[]
  /** The grants that are deleted. */
  readonly revoked: readonly GrantKey[]
  readonly events: readonly NumberedWrite<EventDraft>[]
}

/** How many revisions and events a scope gains. */
export interface ScopeGrowth {
  readonly revisions: number
  readonly events: number
}

/** Something that the scope numbers; `ordinal` is its position, from 1, among all such of the group in its scope. */
export interface NumberedWrite<T> {
  readonly scopeKey: ScopeKey
  readonly ordinal: number
  readonly value: T
}

/** What the session at a path gains, over the whole group. */
export interface PathGain extends Usage {
  readonly scopeKey: ScopeKey
  readonly path: string
  readonly descendants: number
  /** How often the structure below it changes. */
  readonly changes: number
}

type ChunkOwner = Pick<Extract<RowWrite, { table: 'chunk' }>['row'], (typeof chunkOwner)[number]>
type GrantKey = Pick<ReturnType<typeof grantRow>, 'sessionKey' | 'rememberKey'>

/** Fails with `conflict` when the commits cannot follow each other. */
export function groupWrites(group: readonly Commit[]): GroupWrites {
  const scopes = new Map<ScopeKey, ScopeGrowth>()
  const created: NumberedWrite<NewSession>[] = []
  const events: NumberedWrite<EventDraft>[] = []
  for (const { scopeKey, created: sessions, structure, events: drafts } of group) {
    if (structure && group.length > 1) throw new StoreFailure('conflict', 'A change of the structure needs a group of its own.')
    const before = scopes.get(scopeKey) ?? { revisions: 0, events: 0 }
    created.push(...sessions.map((value, i) => ({ scopeKey, ordinal: before.revisions + i + 1, value })))
    events.push(...drafts.map((value, i) => ({ scopeKey, ordinal: before.events + i + 1, value })))
    scopes.set(scopeKey, {
      revisions: before.revisions + sessions.length + revisionsOf(structure),
      events: before.events + drafts.length,
    })
  }
  const sessions = sessionWrites(group.flatMap((commit) => commit.sessions))
  return {
    scopes,
    created,
    sessions,
    retitled: sessions.flatMap(({ row, expected }) => (row.title === expected.title ? [] : [row])),
    rollUps: pathGains(group),
    parents: parentsOf(group),
    structure: group[0]?.structure,
    ...rowWrites(group.flatMap(({ rows }) => rows)),
    events,
  }
}

/** Several writes of a session become one, if each expects what the one before it leaves. */
function sessionWrites(writes: readonly SessionWrite[]): readonly SessionWrite[] {
  const sessions = new Map<SessionKey, SessionWrite>()
  for (const { row, expected } of writes) {
    const first = sessions.get(row.key)
    if (first && first.row.epoch !== expected.epoch) throw outdated('fenced', row.key)
    if (first && first.row.revision !== expected.revision) throw outdated('conflict', row.key)
    sessions.set(row.key, { row, expected: first?.expected ?? expected })
  }
  return [...sessions.values()]
}

const outdated = (failure: 'conflict' | 'fenced', key: SessionKey): StoreFailure =>
  new StoreFailure(failure, `Two commits of the group write session ${key}, and the second does not expect the first.`)

/** Sums up per path what the commits say, and counts how often the structure below it changes. */
function pathGains(group: readonly Commit[]): readonly PathGain[] {
  const gains = new Map<string, PathGain>()
  const add = ({ scopeKey, paths, usage, descendants }: RollUp, changes: number): void => {
    for (const path of paths) {
      const at = `${scopeKey} ${path}`
      const before = gains.get(at) ?? { ...noUsage, descendants: 0, changes: 0 }
      const sum = { ...addUsage(before, usage), scopeKey, path }
      gains.set(at, { ...sum, descendants: before.descendants + descendants, changes: before.changes + changes })
    }
  }
  for (const { scopeKey, created, rollUps, structure } of group) {
    for (const rollUp of rollUps) add(rollUp, 0)
    const above = created.map(({ place }) => prefixesOf(place.parentPath))
    if (structure?.kind === 'reserve') above.push(prefixesOf(structure.top.path).slice(0, -1))
    for (const paths of above) add({ scopeKey, paths, usage: noUsage, descendants: 0 }, 1)
  }
  return [...gains.values()]
}

function parentsOf(group: readonly Commit[]): readonly SessionKey[] {
  const created = group.flatMap((commit) => commit.created)
  const own = new Set(created.map(({ key }) => key))
  return [...new Set(created.flatMap(({ place }) => place.parentKey ?? []))].filter((key) => !own.has(key))
}

function rowWrites(writes: readonly RowWrite[]): Pick<GroupWrites, 'tables' | 'folded' | 'revoked'> {
  const entries = new RowSet(entryTable)
  const runs = new RowSet(runTable)
  const messages = new RowSet(messageTable)
  const parts = new RowSet(partTable)
  const chunks = new RowSet(chunkTable)
  const log = new RowSet(logTable)
  const permissions = new RowSet(permissionTable)
  const grants = new RowSet(grantTable)
  const executions = new RowSet(executionTable)
  const requests = new RowSet(requestTable)
  const folded = new Map<string, ChunkOwner>()
  const revoked = new Map<string, GrantKey>()
  for (const write of writes) {
    switch (write.table) {
      case 'entry':
        if (write.op === 'insert') entries.insert(newEntryRow(write.row, write.prompt))
        else entries.update(entryRow(write.row))
        break
      case 'run':
        runs[write.op](runRow(write.row))
        break
      case 'message':
        messages[write.op](messageRow(write.row))
        break
      case 'part':
        parts[write.op](partRow(write.row))
        break
      case 'chunk':
        if (write.op === 'insert') chunks.insert(chunkRow(write.row))
        else fold(write.row)
        break
      case 'log':
        log.insert(logRow(write.row))
        break
      case 'permission':
        permissions[write.op](permissionRow(write.row))
        break
      case 'grant':
        if (write.op === 'insert') grants.insert(grantRow(write.row))
        else revoke(grantRow(write.row))
        break
      case 'execution':
        executions[write.op](executionRow(write.row))
        break
      case 'request':
        requests.insert(requestRow(write.row))
        break
    }
  }

  /** The chunks so far are never written; those that come later stay, as folding is done first. */
  function fold(part: ChunkOwner): void {
    chunks.forget((row) => chunkOwner.every((column) => row[column] === part[column]))
    folded.set(chunkOwner.map((column) => part[column]).join(' '), part)
  }

  /** As with chunks: what the group has granted so far is never written, and deleting is done first. */
  function revoke({ sessionKey, rememberKey }: GrantKey): void {
    grants.forget((row) => row['sessionKey'] === sessionKey && row['rememberKey'] === rememberKey)
    revoked.set(`${sessionKey} ${rememberKey}`, { sessionKey, rememberKey })
  }

  return {
    tables: [entries, runs, messages, parts, chunks, log, permissions, grants, executions, requests],
    folded: [...folded.values()],
    revoked: [...revoked.values()],
  }
}
