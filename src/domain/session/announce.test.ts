import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  callWith,
  childWith,
  cancel,
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
  grantWith,
  growPart,
  openPart,
  openTool,
  type Outcome,
  outcomeOf,
  reconcile,
  resolve,
  respond,
  revokeGrant,
  runOf,
} from '../../../test/support/content.ts'
import type { EntrySnapshot } from '../event/event.ts'
import { addressOf, announcementsOf, snapshotOf } from './announce.ts'

const runId = runOf('a')
const [userMessage, assistantMessage] = [`${runId}.0`, `${runId}.1`]
const generating = [enqueue('a'), admit('a'), begin(), resolve()] as const
const bodies = ({ announced }: Outcome) => announced.map(({ body }) => body)
const types = (outcome: Outcome) => bodies(outcome).map(({ type }) => type)

const queued: EntrySnapshot = {
  queueId: enqueue('a').queueId,
  status: 'QUEUED',
  runId: null,
  error: null,
  clientRequestId: null,
  budget: null,
  createdBy: 'ann',
  createdAt: 1000,
  startedAt: null,
  finishedAt: null,
}

test('E20: a prompt is announced when it is queued, started, running and finished, with its entry as committed', () => {
  const prompt = enqueue('a', { clientRequestId: 'request' })
  const entry: EntrySnapshot = { ...queued, clientRequestId: 'request' }
  const started: EntrySnapshot = { ...entry, status: 'STARTED', runId, startedAt: 1001 }
  const of = (snapshot: EntrySnapshot) => ({ queueId: 'a', runId: snapshot.runId, entry: snapshot })
  const admitted = [prompt, admit('a', 1001)] as const
  expect(bodies(given().when(prompt))).toEqual([{ type: 'prompt.queued', ...of(entry) }])
  expect(bodies(given(prompt).when(admit('a', 1001)))[0]).toEqual({ type: 'prompt.started', ...of(started) })
  expect(bodies(given(...admitted).when(begin(1002)))).toEqual([
    { type: 'prompt.running', ...of({ ...started, status: 'RUNNING' }) },
  ])
  expect(bodies(given(...admitted, begin(1002)).when(conclude(failed, {}, 1003)))).toContainEqual({
    type: 'prompt.finished',
    ...of({ ...started, status: 'FAILED', error: failed.error, finishedAt: 1003 }),
  })
})

test('E20: a prompt that is cancelled while it waits is announced as finished without a run', () => {
  const error = { code: 'ABORTED', message: 'Enough.', source: 'harness' }
  expect(given(enqueue('a')).when(cancel('a', 1001)).announced).toEqual([
    {
      sessionKey: 1,
      timestamp: 1001,
      body: {
        type: 'prompt.finished',
        queueId: 'a',
        runId: null,
        entry: { ...queued, status: 'CANCELLED', error, finishedAt: 1001 },
      },
    },
  ])
})

test('E21: an admission is announced as the start of the prompt, of the run, and its two messages', () => {
  const outcome = given(enqueue('a')).when(admit('a', 1001))
  expect(bodies(outcome).slice(1)).toEqual([
    { type: 'run.started', runId, messageId: userMessage },
    { type: 'message.created', runId, messageId: userMessage, messageIndex: 0 },
    { type: 'message.created', runId, messageId: assistantMessage, messageIndex: 1 },
  ])
  expect(outcome.announced.map(({ timestamp, sessionKey }) => [timestamp, sessionKey])).toEqual(
    Array.from({ length: 4 }, () => [1001, 1]),
  )
})

test('E22: the end of a run is announced part by part, then both messages, the prompt and at last the run', () => {
  const parts = [openPart(0), openPart(1), closePart(0, 'done'), openPart(2)]
  const outcome = given(...generating, ...parts).when(conclude(failed, {}, 1234))
  const part = (partIndex: number) => ({
    type: 'part.completed',
    runId,
    messageId: assistantMessage,
    partId: `${assistantMessage}.${partIndex}`,
    messageIndex: 1,
    partIndex,
  })
  expect(bodies(outcome)).toMatchObject([
    part(1),
    part(2),
    { type: 'message.updated', runId, messageId: userMessage, messageIndex: 0 },
    { type: 'message.updated', runId, messageId: assistantMessage, messageIndex: 1 },
    { type: 'prompt.finished', queueId: 'a', runId },
    { type: 'run.finished', runId, messageId: assistantMessage, status: 'FAILED', error: failed.error },
  ])
  expect(outcome.announced.every(({ timestamp }) => timestamp === 1234)).toBe(true)
})

test('E22: a run that completed is announced without an error', () => {
  const outcome = given(...generating).when(conclude(completed))
  expect(bodies(outcome).at(-1)).toMatchObject({ type: 'run.finished', status: 'COMPLETED', error: null })
})

test('E23: a part is announced when it is created and when it is complete, and not when it grows', () => {
  expect(given(...generating).when(openPart(0, 'text', 1234)).announced).toEqual([
    { sessionKey: 1, timestamp: 1234, body: { type: 'part.created', ...address } },
  ])
  expect(given(...generating, openPart(0)).when(closePart(0, 'hello', 1235)).announced).toEqual([
    { sessionKey: 1, timestamp: 1235, body: { type: 'part.completed', ...address } },
  ])
  expect(types(given(...generating, openPart(0)).when(growPart(0, 0, 'hello')))).toEqual([])
})

test('E23: a model that is resolved, a step that ended and an abort that is acknowledged are no events', () => {
  expect(types(given(...generating.slice(0, -1)).when(resolve()))).toEqual([])
  expect(types(given(...generating).when(endStep()))).toEqual([])
  expect(types(given(...generating).when(abort()))).toEqual([])
})

const address = { runId, messageId: assistantMessage, partId: `${assistantMessage}.0`, messageIndex: 1, partIndex: 0 }
const calling = [...generating, openTool(0)] as const
const asked = [...calling, askPermission('p', 0, { metadata: { path: 'a' }, at: 1234 })] as const

test('T9: a call is announced when it is created, when it changes and when it has ended', () => {
  expect(bodies(given(...generating).when(openTool(0)))).toEqual([{ type: 'part.created', ...address }])
  const updated = { type: 'part.updated', ...address }
  expect(bodies(given(...calling).when(askPermission('p', 0)))).toContainEqual(updated)
  expect(bodies(given(...asked).when(respond('p')))).toContainEqual(updated)
  expect(given(...calling).when(beginTool(0, 1300)).announced).toEqual([
    { sessionKey: 1, timestamp: 1300, body: updated },
  ])
  expect(given(...calling).when(endTool(0, undefined, 1300)).announced).toEqual([
    { sessionKey: 1, timestamp: 1300, body: { type: 'part.completed', ...address } },
  ])
})

test('P11: a request is announced when it is made and when it is resolved, as it was committed', () => {
  const permission = {
    permissionId: 'p',
    runId,
    kind: 'tool',
    description: 'May it p?',
    toolCallId: 'call 0',
    rememberKey: 'write',
    metadata: { path: 'a' },
    createdAt: 1234,
    state: { kind: 'pending' },
  }
  const requested = { type: 'permission.requested', runId, permission }
  const [asking] = given(...asked.slice(0, -1)).when(asked[5]).announced
  expect(asking).toEqual({ sessionKey: 1, timestamp: 1234, body: requested })
  const state = { kind: 'resolved', decision: 'REJECT', message: 'Not now.', by: 'bob', at: 1300 }
  const { announced } = given(...asked).when(respond('p', 'REJECT', { message: 'Not now.', at: 1300 }))
  expect(announced[0]).toEqual({
    sessionKey: 1,
    timestamp: 1300,
    body: { type: 'permission.resolved', runId, permission: { ...permission, state } },
  })
})

test('P11: a request that an earlier grant answers is announced as resolved alone', () => {
  const outcome = given(...calling).when(askPermission('p', 0, { granted: 'before', at: 1234 }))
  expect(outcome.announced).toMatchObject([
    {
      timestamp: 1234,
      body: { type: 'permission.resolved', permission: { state: { decision: 'GRANTED_BEFORE', by: null } } },
    },
  ])
})

test('P11: a rejection announces its request, then those that it cancels', () => {
  const outcome = given(...asked, askPermission('q', null)).when(respond('q', 'REJECT', { at: 1300 }))
  const resolved = bodies(outcome).flatMap((body) =>
    body.type === 'permission.resolved' ? [[body.permission.permissionId, body.permission.state]] : [],
  )
  expect(resolved).toMatchObject([
    ['q', { decision: 'REJECT', by: 'bob' }],
    ['p', { decision: 'CANCELLED', by: null, at: 1300 }],
  ])
  expect(types(outcome)).toEqual(['permission.resolved', 'permission.resolved', 'part.updated'])
})

test('P5: a grant is announced when it is made and when it is revoked', () => {
  const outcome = given(...asked).when(respond('p', 'ALWAYS', { at: 1300 }))
  expect(outcome.announced).toContainEqual({
    sessionKey: 1,
    timestamp: 1300,
    body: { type: 'grant.changed', rememberKey: 'write', change: 'GRANTED' },
  })
  expect(given().when(revokeGrant(grantWith(), 1300)).announced).toEqual([
    { sessionKey: 1, timestamp: 1300, body: { type: 'grant.changed', rememberKey: 'write', change: 'REVOKED' } },
  ])
})

test('T5, T7: an uncertain execution is announced when it is listed and when it is reconciled', () => {
  const about = { runId, intentId: `${runId}.call.0`, toolCallId: 'call 0', toolName: 'write' }
  const outcome = given(...calling, beginTool(0)).when(conclude(completed, {}, 1300))
  expect(types(outcome).slice(0, 2)).toEqual(['part.completed', 'tool.uncertain'])
  expect(outcome.announced[1]).toEqual({ sessionKey: 1, timestamp: 1300, body: { type: 'tool.uncertain', ...about } })
  const reconciled = outcome.events.flatMap((event) =>
    event.type === 'executionListed'
      ? outcomeOf(outcome.after, [reconcile(event.execution, { outcome: 'NOT_EXECUTED' }, 1400)]).announced
      : [],
  )
  expect(reconciled).toEqual([
    {
      sessionKey: 1,
      timestamp: 1400,
      body: { type: 'tool.reconciled', ...about, outcome: 'NOT_EXECUTED', by: 'bob' },
    },
  ])
})

test('E23: what does not fit the content is not announced', () => {
  const part = { partIndex: 0, kind: 'text', startedAt: 1000 } as const
  const call = { ...part, kind: 'tool', call: callWith(), permissionId: null, child: null, state: { kind: 'pending' } } as const
  const none = [
    announcementsOf(emptyContent, { type: 'entryChanged', entry: entryWith(), event: { type: 'running', at: 1 } }),
    announcementsOf(emptyContent, { type: 'messageUpdated', message: 'user', at: 1 }),
    announcementsOf(emptyContent, { type: 'partOpened', part }),
    announcementsOf(emptyContent, { type: 'partClosed', part, text: '', status: 'COMPLETED', at: 1 }),
    announcementsOf(emptyContent, { type: 'childLinked', part: call, child: childWith(), at: 1 }),
    announcementsOf(emptyContent, { type: 'callChanged', part: call, event: { type: 'begun', at: 1 }, at: 1 }),
    announcementsOf(emptyContent, {
      type: 'runChanged',
      event: { type: 'finished', outcome: completed, log: 'ACCEPTED', at: 1 },
      at: 1,
    }),
  ]
  expect(none.flat()).toEqual([])
})

test('E20: a snapshot does not show later changes', () => {
  const { content, when } = given(enqueue('a'), enqueue('b'))
  const snapshots = content.entries.map(snapshotOf)
  const { after } = when(admit('a'))
  expect(snapshots.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED'])
  expect(after.entries.map((entry) => snapshotOf(entry).status)).toEqual(['STARTED', 'QUEUED'])
})

test('K8: the address of a part names its run, its message and both positions', () => {
  const { content } = given(enqueue('b'), admit('b'), conclude(), ...generating)
  expect(content.run && addressOf(content.run, { partIndex: 4 })).toEqual({
    runId,
    messageId: assistantMessage,
    partId: `${assistantMessage}.4`,
    messageIndex: 3,
    partIndex: 4,
  })
})
