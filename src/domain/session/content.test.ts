import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  callWith,
  childWith,
  completed,
  conclude,
  emptyContent,
  enqueue,
  entryWith,
  failed,
  given,
  grantWith,
  openPart,
  openTool,
  promptOf,
  requestBy,
  resolve,
  resume,
  runWith,
} from '../../../test/support/content.ts'
import type { OfEveryType } from '../../../test/support/transition-table.ts'
import { asIntentId, asPermissionId, asQueueId, messageIdOf } from '../../kernel/ids.ts'
import type { RunEvent } from '../run/machine.ts'
import { noUsage } from '../run/usage.ts'
import type { CallEvent } from '../tool/machine.ts'
import { notExecuted } from '../tool/result.ts'
import { type Content, type ContentEvent, evolve } from './content.ts'

const contents = {
  idle: emptyContent,
  queued: given(enqueue('a')).content,
  started: given(enqueue('a'), admit('a')).content,
  generating: given(enqueue('a'), admit('a'), begin(), resolve()).content,
  responding: given(enqueue('a'), admit('a'), begin(), resolve(), openPart(0)).content,
  calling: given(enqueue('a'), admit('a'), begin(), resolve(), openTool(0)).content,
  running: given(enqueue('a'), admit('a'), begin(), resolve(), openTool(0), beginTool(0)).content,
  asking: given(enqueue('a'), admit('a'), begin(), resolve(), openTool(0), askPermission('p', 0)).content,
  aborting: given(enqueue('a'), admit('a'), begin(), resolve(), openPart(0), abort()).content,
  waiting: given(enqueue('a'), admit('a'), conclude(), enqueue('b')).content,
} as const satisfies Record<string, Content>

const run = runWith()
const part = { partIndex: 0, kind: 'text', startedAt: 1000 } as const
const call = {
  partIndex: 0,
  kind: 'tool',
  startedAt: 1000,
  call: callWith({ toolCallId: 'call 0' }),
  permissionId: null,
  child: null,
  state: { kind: 'pending' },
} as const
const [permission] = contents.asking.permissions
if (!permission) throw new Error('A request waits.')
const execution = {
  sessionKey: run.sessionKey,
  ordinal: 0,
  intentId: asIntentId('run of a.call.0'),
  runId: run.runId,
  toolCallId: 'call 0',
  toolName: 'write',
  messageIndex: 1,
  partIndex: 0,
  startedAt: 1000,
  uncertainSince: 2000,
  state: { kind: 'uncertain' },
} as const
const message = {
  sessionKey: run.sessionKey,
  index: 0,
  messageId: messageIdOf(run.runId, 0),
  runId: run.runId,
  role: 'USER',
  createdAt: 1000,
  updatedAt: 1000,
  superseded: [],
} as const

const events: OfEveryType<ContentEvent> = {
  entryQueued: {
    type: 'entryQueued',
    entry: entryWith({ queueId: asQueueId('c'), ordinal: 9, rank: 9 }),
    prompt: promptOf('c'),
  },
  entryChanged: { type: 'entryChanged', entry: entryWith(), event: { type: 'finished', outcome: completed, at: 2000 } },
  workChanged: { type: 'workChanged', event: { type: 'ended', left: 0, at: 2000 } },
  runAdmitted: { type: 'runAdmitted', run },
  runChanged: { type: 'runChanged', event: { type: 'outcomeDecided', outcome: completed, generated: true }, at: 2000 },
  messageCreated: { type: 'messageCreated', message, parts: [] },
  messageUpdated: { type: 'messageUpdated', message: 'user', at: 2000 },
  partOpened: { type: 'partOpened', part },
  partGrown: { type: 'partGrown', part, offset: 0, text: 'hello' },
  partClosed: { type: 'partClosed', part, text: 'hello', status: 'COMPLETED', at: 2000 },
  callChanged: { type: 'callChanged', part: call, event: { type: 'begun', at: 2000 }, at: 2000 },
  childLinked: { type: 'childLinked', part: call, child: childWith(), at: 2000 },
  permissionRequested: {
    type: 'permissionRequested',
    permission: { ...permission, permissionId: asPermissionId('another') },
  },
  permissionResolved: {
    type: 'permissionResolved',
    permission,
    event: { type: 'resolved', resolution: { decision: 'ONCE', message: null, by: 'bob', at: 2000 } },
  },
  granted: { type: 'granted', grant: grantWith() },
  grantRevoked: { type: 'grantRevoked', grant: grantWith(), at: 2000 },
  executionListed: { type: 'executionListed', execution },
  executionReconciled: {
    type: 'executionReconciled',
    execution,
    event: { type: 'reconciled', found: { outcome: 'NOT_EXECUTED' }, by: 'bob', at: 2000 },
  },
  logged: { type: 'logged', runId: run.runId, body: { kind: 'step', output: null }, at: 2000 },
}

type Kind = keyof typeof contents
const always = Object.keys(contents) as readonly Kind[]
const withPart: readonly Kind[] = ['responding', 'calling', 'running', 'asking', 'aborting']
const withRun: readonly Kind[] = ['started', 'generating', ...withPart]

/** The contents that each event changes. It leaves the others as they are. */
const fits: Record<ContentEvent['type'], readonly Kind[]> = {
  entryQueued: always,
  entryChanged: ['queued', ...withRun],
  workChanged: withRun,
  runAdmitted: ['idle', 'queued', 'waiting'],
  runChanged: withRun,
  messageCreated: always,
  messageUpdated: [],
  partOpened: withRun,
  partGrown: [],
  partClosed: ['responding', 'aborting'],
  callChanged: ['calling'],
  childLinked: ['calling', 'running', 'asking'],
  permissionRequested: always,
  permissionResolved: ['asking'],
  granted: [],
  grantRevoked: [],
  executionListed: always,
  executionReconciled: [],
  logged: always,
}

const cells = Object.values(events).flatMap((event) => always.map((kind) => ({ event, kind })))

test.each(cells)('Q17: $event.type changes the content that it fits and no other: $kind', ({ event, kind }) => {
  const before = frozen(contents[kind])
  expect(!isDeepStrictEqual(evolve(before, event), before)).toBe(fits[event.type].includes(kind))
})

const runEvents: OfEveryType<RunEvent> = {
  admitted: { type: 'admitted' },
  resolved: { type: 'resolved', model: { provider: 'offline', id: 'echo' } },
  stepEnded: { type: 'stepEnded', usage: { ...noUsage, totalTokens: 1 } },
  counted: { type: 'counted', workedMs: 5 },
  resumed: { type: 'resumed', epoch: 2, owner: 'another server' },
  abortRequested: { type: 'abortRequested', request: requestBy('bob') },
  outcomeDecided: { type: 'outcomeDecided', outcome: failed, generated: true },
  finished: { type: 'finished', outcome: failed, log: 'REJECTED', at: 2000 },
}

const fitsRun: Record<RunEvent['type'], readonly Kind[]> = {
  admitted: [],
  resolved: ['started'],
  stepEnded: ['generating', ...withPart],
  counted: withRun,
  resumed: withRun,
  abortRequested: withRun.filter((kind) => kind !== 'aborting'),
  outcomeDecided: withRun,
  finished: [],
}

const runCells = Object.values(runEvents).flatMap((event) => always.map((kind) => ({ event, kind })))

test.each(runCells)('Q17: of a run, $event.type changes what it fits and no other: $kind', ({ event, kind }) => {
  const before = frozen(contents[kind])
  const after = evolve(before, { type: 'runChanged', event, at: 2000 })
  expect(!isDeepStrictEqual(after, before)).toBe(fitsRun[event.type].includes(kind))
})

const callEvents: OfEveryType<CallEvent> = {
  asked: { type: 'asked', permissionId: asPermissionId('another') },
  answered: { type: 'answered' },
  begun: { type: 'begun', at: 2000 },
  reset: { type: 'reset' },
  lost: { type: 'lost' },
  ended: { type: 'ended', result: notExecuted },
}

const fitsCall: Record<CallEvent['type'], readonly Kind[]> = {
  asked: ['calling'],
  answered: ['asking'],
  begun: ['calling'],
  reset: ['running'],
  lost: ['running'],
  ended: ['calling', 'running', 'asking'],
}

const callCells = Object.values(callEvents).flatMap((event) => always.map((kind) => ({ event, kind })))

test.each(callCells)('Q17: of a call, $event.type changes what it fits and no other: $kind', ({ event, kind }) => {
  const before = frozen(contents[kind])
  const after = evolve(before, { type: 'callChanged', part: call, event, at: 2000 })
  expect(!isDeepStrictEqual(after, before)).toBe(fitsCall[event.type].includes(kind))
  const other = evolve(before, { type: 'callChanged', part: { ...call, partIndex: 7 }, event, at: 2000 })
  expect(other).toEqual(before)
})

test('R16: the owner of a session is that of its live run', () => {
  const { content, when } = given(enqueue('a'), admit('a'), resume('another server'))
  expect([content.session.owner, content.session.epoch]).toEqual(['another server', 2])
  expect(when(conclude()).after.session).toMatchObject({ owner: null, epoch: 2 })
})

test('Q10: a clock that goes back does not take a session back in the list of the newest', () => {
  const { after } = given(enqueue('a', { at: 5000 }), admit('a', 4000)).when(conclude(completed, {}, 3000))
  expect(after.session).toMatchObject({ updatedAt: 5000, work: { kind: 'idle', since: 3000 } })
})

/** The same value, which throws when somebody changes it. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}
