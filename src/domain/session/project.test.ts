import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  callWith,
  childWith,
  closePart,
  completed,
  conclude,
  emptyContent,
  endStep,
  endTool,
  enqueue,
  entryWith,
  failed,
  given,
  growPart,
  openPart,
  openTool,
  type Outcome,
  resolve,
  respond,
  runWith,
  written,
} from '../../../test/support/content.ts'
import { rollUpsOf, writesOf } from './project.ts'

const generating = [enqueue('a'), admit('a'), begin(), resolve()] as const
const tables = ({ writes }: Outcome) => writes.map(({ table, op }) => `${op} ${table}`)

test('R12: an enqueued prompt is one new entry with its prompt', () => {
  const { writes, after } = given().when(enqueue('a'))
  expect(writes).toEqual([{ table: 'entry', op: 'insert', row: after.entries[0], prompt: enqueue('a').prompt }])
})

test('R12: an admission changes the entry and makes the run, its messages, parts of the prompt and a log entry', () => {
  const outcome = given(enqueue('a')).when(admit('a', 1234))
  expect(tables(outcome)).toEqual([
    'update entry',
    'insert run',
    'insert message',
    'insert part',
    'insert message',
    'insert log',
  ])
  expect(outcome.writes.at(-1)).toMatchObject({
    row: { sessionKey: 1, index: 0, runId: 'run of a', createdAt: 1234, body: { kind: 'input', text: 'the prompt a' } },
  })
})

test('R12: a part grows by chunks; when it closes its text is in its row and its chunks are folded', () => {
  const address = { sessionKey: 1, messageIndex: 1, partIndex: 0 }
  const row = { ...address, partId: 'run of a.1.0', startedAt: 1234 }
  const open = [...generating, openPart(0, 'reasoning', 1234)] as const
  const opening = given(...generating).when(openPart(0, 'reasoning', 1234))
  expect(opening.writes).toEqual([
    {
      table: 'part',
      op: 'insert',
      row: { ...row, status: 'RUNNING', body: { kind: 'reasoning', text: '' }, finishedAt: null },
    },
    { table: 'run', op: 'update', row: opening.after.run },
  ])
  expect(given(...open).when(growPart(0, 3, 'lo')).writes).toEqual([
    { table: 'chunk', op: 'insert', row: { ...address, offset: 3, text: 'lo' } },
  ])
  expect(given(...open).when(closePart(0, 'hello', 1240)).writes).toEqual([
    {
      table: 'part',
      op: 'update',
      row: { ...row, status: 'COMPLETED', body: { kind: 'reasoning', text: 'hello' }, finishedAt: 1240 },
    },
    { table: 'chunk', op: 'fold', row: address },
  ])
})

test('R12: the end of a run is in its row, which is content no longer', () => {
  const { writes, after } = given(...generating, openPart(0), endStep()).when(conclude(failed, {}, 1234))
  const runs = writes.flatMap((write) => (write.table === 'run' ? [write.row] : []))
  expect(runs.map(({ state }) => state.kind)).toEqual(['finalizing', 'finished'])
  expect(runs.at(-1)).toMatchObject({ steps: 1, partCount: 1, state: { kind: 'finished', outcome: failed, at: 1234 } })
  expect(after.run).toBeNull()
})

test('R12: both messages of a run are updated when it ends', () => {
  const outcome = given(enqueue('b'), admit('b'), conclude(), ...generating).when(conclude(completed, {}, 1234))
  const rows = outcome.writes.flatMap((write) => (write.table === 'message' ? [write] : []))
  const message = { sessionKey: 1, runId: 'run of a', createdAt: 1000, updatedAt: 1234, superseded: [] }
  expect(rows).toEqual([
    { table: 'message', op: 'update', row: { ...message, index: 2, messageId: 'run of a.0', role: 'USER' } },
    { table: 'message', op: 'update', row: { ...message, index: 3, messageId: 'run of a.1', role: 'ASSISTANT' } },
  ])
})

const callRow = {
  sessionKey: 1,
  messageIndex: 1,
  partIndex: 0,
  partId: 'run of a.1.0',
  status: 'PENDING',
  body: {
    kind: 'tool',
    ...callWith({ toolCallId: 'call 0' }),
    permissionId: null,
    begunAt: null,
    child: null,
    output: null,
    error: null,
  },
  startedAt: 1100,
  finishedAt: null,
} as const
const calling = [...generating, openTool(0, {}, 1100)] as const

test('T10: a call is a part from the moment it is opened, with its input', () => {
  const { writes, after } = given(...generating).when(openTool(0, {}, 1100))
  expect(writes).toEqual([
    { table: 'part', op: 'insert', row: callRow },
    { table: 'run', op: 'update', row: after.run },
  ])
})

test('T10: the part of a call shows where it stands, who was asked, and when it began', () => {
  const partOf = ({ writes }: Outcome) => writes.find(({ table }) => table === 'part')?.row
  const body = { ...callRow.body, permissionId: 'p' }
  const asked = [...calling, askPermission('p', 0)] as const
  expect(partOf(given(...calling).when(askPermission('p', 0)))).toEqual({
    ...callRow,
    status: 'AWAITING_PERMISSION',
    body,
  })
  expect(partOf(given(...asked).when(respond('p')))).toEqual({ ...callRow, status: 'PENDING', body })
  expect(partOf(given(...asked, respond('p')).when(beginTool(0, 1200)))).toEqual({
    ...callRow,
    status: 'RUNNING',
    body: { ...body, begunAt: 1200 },
  })
})

test('T10: the part of a call that has ended shows what it answered or why not, and when', () => {
  const partOf = ({ writes }: Outcome) => writes.find(({ table }) => table === 'part')?.row
  const running = [...calling, beginTool(0, 1200)] as const
  const { body } = callRow
  expect(partOf(given(...running).when(endTool(0, written, 1300)))).toEqual({
    ...callRow,
    status: 'COMPLETED',
    body: { ...body, begunAt: 1200, output: { written: true } },
    finishedAt: 1300,
  })
  const { error } = failed
  expect(partOf(given(...calling).when(endTool(0, { status: 'FAILED', error }, 1300)))).toEqual({
    ...callRow,
    status: 'FAILED',
    body: { ...body, error },
    finishedAt: 1300,
  })
  expect(partOf(given(...running).when(conclude(completed, {}, 1300)))).toMatchObject({
    status: 'UNCERTAIN',
    body: { begunAt: 1200, output: null, error: { code: 'OUTCOME_UNKNOWN' } },
    finishedAt: 1300,
  })
})

test('R12: an abort is in the row of the run, and the session’s work in no row but the session’s own', () => {
  expect(tables(given(...generating).when(abort()))).toEqual(['update run'])
  expect(writesOf(emptyContent, { type: 'workChanged', event: { type: 'arrived', at: 1 } })).toEqual([])
})

test('R12: what does not fit the content writes nothing', () => {
  const part = { partIndex: 0, kind: 'text', startedAt: 1000 } as const
  const call = { ...part, kind: 'tool', call: callWith(), permissionId: null, child: null, state: { kind: 'pending' } } as const
  const none = [
    writesOf(emptyContent, { type: 'entryChanged', entry: entryWith(), event: { type: 'running', at: 1 } }),
    writesOf(emptyContent, { type: 'runChanged', event: { type: 'admitted' }, at: 1 }),
    writesOf(emptyContent, { type: 'messageUpdated', message: 'user', at: 1 }),
    writesOf(emptyContent, { type: 'partOpened', part }),
    writesOf(emptyContent, { type: 'partGrown', part, offset: 0, text: 'hello' }),
    writesOf(emptyContent, { type: 'partClosed', part, text: '', status: 'COMPLETED', at: 1 }),
    writesOf(emptyContent, { type: 'childLinked', part: call, child: childWith(), at: 1 }),
    writesOf(emptyContent, { type: 'callChanged', part: call, event: { type: 'begun', at: 1 }, at: 1 }),
  ]
  expect(none.flat()).toEqual([])
})

test('R9: only a finished step adds to the totals of the session and its ancestors', () => {
  const { content } = given(...generating)
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedInputTokens: 0 }
  const place = { ...content.session.place, path: '000000000003000000000007' }
  const below = { ...content, session: { ...content.session, place } }
  expect(rollUpsOf(below, { type: 'runChanged', event: { type: 'stepEnded', usage }, at: 1 })).toEqual([
    { scopeKey: 2, paths: ['000000000003', '000000000003000000000007'], usage, descendants: 0 },
  ])
  expect(rollUpsOf(below, { type: 'runChanged', event: { type: 'admitted' }, at: 1 })).toEqual([])
  expect(rollUpsOf(below, { type: 'runAdmitted', run: runWith() })).toEqual([])
})
