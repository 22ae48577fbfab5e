import { expect, test } from 'vitest'
import { asPermissionId, type MessageId, type RunId, type ScopeKey, type SessionKey } from '../../kernel/ids.ts'
import type { Part } from '../../domain/message/message.ts'
import { noUsage } from '../../domain/run/usage.ts'
import type { RowWrite } from '../../domain/session/writes.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Commit } from '../../ports/stores/unit-of-work.ts'
import { groupWrites } from './group-writes.ts'

const scopeKey = 1 as ScopeKey
const sessionKey = 2 as SessionKey

const commitOf = (wishes: Partial<Commit>): Commit => ({
  scopeKey,
  created: [],
  sessions: [],
  rollUps: [],
  rows: [],
  events: [],
  ...wishes,
})

const address = { sessionKey, messageIndex: 0, partIndex: 0 }
const part = (fields: Partial<Part>): Part => ({
  ...address,
  partId: 'p' as Part['partId'],
  status: 'RUNNING',
  body: { kind: 'text', text: '' },
  startedAt: 5,
  finishedAt: null,
  ...fields,
})
const insertPart: RowWrite = { table: 'part', op: 'insert', row: part({}) }
const closePart: RowWrite = {
  table: 'part',
  op: 'update',
  row: part({ status: 'COMPLETED', finishedAt: 9, startedAt: 7 }),
}
const chunk = (offset: number): RowWrite => ({
  table: 'chunk',
  op: 'insert',
  row: { ...address, offset, text: `${offset}` },
})
const fold: RowWrite = { table: 'chunk', op: 'fold', row: address }

function writesOf(table: string, ...commits: readonly (readonly RowWrite[])[]) {
  const { tables, folded } = groupWrites(commits.map((rows) => commitOf({ rows })))
  const found = tables.find((rows) => rows.table.name === table)
  return { inserts: found?.inserts, updates: found?.updates, folded }
}

test('an update of a row that the group inserts becomes part of the insert, as far as rows can change', () => {
  const { inserts, updates } = writesOf('Part', [insertPart], [closePart])
  expect(inserts).toMatchObject([{ status: 'COMPLETED', finishedAt: 9, startedAt: 5 }])
  expect(updates).toEqual([])
})

test('of several updates of a row the last one counts', () => {
  const { updates } = writesOf('Part', [{ ...closePart, row: part({ finishedAt: 1 }) }, closePart])
  expect(updates).toMatchObject([{ finishedAt: 9 }])
})

test('a row that is inserted twice, or after it was updated, is a conflict', () => {
  for (const rows of [[insertPart, insertPart], [closePart, insertPart]]) {
    expect(() => writesOf('Part', rows)).toThrow(StoreFailure)
  }
})

test('chunks that the group folds are never written, those that come later are, and the part is folded once', () => {
  expect(writesOf('PartChunk', [chunk(0), chunk(1)], [fold], [chunk(2), fold, chunk(3)])).toMatchObject({
    inserts: [{ offset: 3 }],
    folded: [address],
  })
})

const grant = (op: 'insert' | 'delete', createdAt: number): RowWrite => ({
  table: 'grant',
  op,
  row: { sessionKey, rememberKey: 'key', permissionId: asPermissionId('p'), grantedBy: 'me', createdAt },
})

test.each([
  { ops: ['insert'], deleted: 0, left: [1] },
  { ops: ['insert', 'delete'], deleted: 1, left: [] },
  { ops: ['delete', 'insert'], deleted: 1, left: [2] },
  { ops: ['insert', 'delete', 'insert'], deleted: 1, left: [3] },
  { ops: ['delete', 'insert', 'delete'], deleted: 1, left: [] },
] as const)('a grant is deleted at most once, and written if that came last: $ops', ({ ops, deleted, left }) => {
  const group = ops.map((op, i) => commitOf({ rows: [grant(op, i + 1)] }))
  const { tables, revoked } = groupWrites(group)
  expect(revoked).toHaveLength(deleted)
  expect(tables.find(({ table }) => table.name === 'Grant')?.inserts.map((row) => row['createdAt'])).toEqual(left)
})

test('rows are inserted in an order that their keys alone decide', () => {
  const requests = ['b', 'a', 'c'].map((clientRequestId): RowWrite => ({
    table: 'request',
    op: 'insert',
    row: { scopeKey, owner: 0, clientRequestId, digest: '', result: '', createdAt: 1 },
  }))
  expect(writesOf('ClientRequest', requests).inserts).toEqual(writesOf('ClientRequest', requests.toReversed()).inserts)
})

test('gains of a session are added up, also over commits', () => {
  const rollUp = { scopeKey, paths: ['1', '12'], usage: { ...noUsage, inputTokens: 2 }, descendants: 1 }
  const { rollUps } = groupWrites([
    commitOf({ rollUps: [rollUp, { ...rollUp, paths: ['1'] }] }),
    commitOf({ rollUps: [rollUp] }),
  ])
  expect(rollUps.map(({ path, inputTokens, descendants }) => [path, inputTokens, descendants])).toEqual([
    ['1', 6, 3],
    ['12', 4, 2],
  ])
})

test('events count on through the commits of a scope, each scope for itself', () => {
  const body = { type: 'run.started', runId: 'r' as RunId, messageId: 'm' as MessageId } as const
  const draft = { sessionKey, timestamp: 1, body }
  const other = 9 as ScopeKey
  const { events, scopes } = groupWrites([
    commitOf({ events: [draft, draft] }),
    commitOf({ scopeKey: other, events: [draft] }),
    commitOf({ events: [draft] }),
  ])
  expect(events.map((event) => [event.scopeKey, event.ordinal])).toEqual([
    [scopeKey, 1],
    [scopeKey, 2],
    [other, 1],
    [scopeKey, 3],
  ])
  expect([...scopes]).toEqual([
    [scopeKey, { revisions: 0, events: 3 }],
    [other, { revisions: 0, events: 1 }],
  ])
})
