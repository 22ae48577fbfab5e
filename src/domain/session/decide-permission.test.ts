import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  beginTool,
  begin,
  closePart,
  completed,
  conclude,
  endTool,
  enqueue,
  failed,
  given,
  grantWith,
  openPart,
  openTool,
  type Outcome,
  outcomeOf,
  resolve,
  respond,
  revokeGrant,
  type Step,
} from '../../../test/support/content.ts'
import { utf8Length } from '../../kernel/text.ts'
import { MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import { abortOf } from '../run/run.ts'
import { activityOf, statusOf } from './session.ts'

const admitted = [enqueue('a'), admit('a')] as const
const generating = [...admitted, begin(), resolve()] as const
const calling = [...generating, openTool(0), openTool(1)] as const
const asked = [...calling, askPermission('p', 0)] as const

const kinds = ({ events }: Outcome) => events.map(({ type }) => type)
const pending = ({ after }: Outcome) => after.permissions.map(({ permissionId }) => permissionId)
const calls = ({ after }: Outcome) => after.open.map((part) => part.kind === 'tool' && part.state.kind)
const resolutions = ({ events }: Outcome) =>
  events.flatMap((event) =>
    event.type === 'permissionResolved' ? [[event.permission.permissionId, event.event.resolution.decision]] : [],
  )

test('P1: a request is stored as it was asked, and waits', () => {
  const outcome = given(...calling).when(askPermission('p', 0, { metadata: { path: 'a' }, at: 1234 }))
  expect(kinds(outcome)).toEqual(['permissionRequested', 'callChanged', 'workChanged'])
  expect(outcome.after.permissions).toEqual([
    {
      scopeKey: 2,
      sessionKey: 1,
      ordinal: 0,
      permissionId: 'p',
      runId: 'run of a',
      kind: 'tool',
      description: 'May it p?',
      toolCallId: 'call 0',
      rememberKey: 'write',
      metadata: { path: 'a' },
      createdAt: 1234,
      state: { kind: 'pending' },
    },
  ])
  expect(outcome.after.session.next.permission).toBe(1)
})

test('P1: an answer is stored as it was given, and a second one is refused', () => {
  const outcome = given(...asked).when(respond('p', 'REJECT', { message: 'Not now.', by: 'carl', at: 1234 }))
  expect(outcome.events[0]).toMatchObject({
    permission: { permissionId: 'p' },
    event: { resolution: { decision: 'REJECT', message: 'Not now.', by: 'carl', at: 1234 } },
  })
  const again = given(...asked, respond('p')).when(respond('p', 'REJECT'))
  expect(again.decision).toEqual({
    kind: 'refused',
    refusal: { code: 'PERMISSION_STATE', message: 'The request is not pending any more. Nothing was changed.' },
  })
})

test('P2: an answer to a request that does not wait changes nothing, whatever became of it', () => {
  const over: readonly (readonly Step[])[] = [
    [...calling],
    [...asked, abort()],
    [...asked, conclude()],
    [...asked, endTool(0)],
    [...asked, conclude(), enqueue('b'), admit('b')],
    [...calling, askPermission('p', 0, { granted: 'before' })],
  ]
  for (const steps of over) {
    for (const decision of ['ONCE', 'ALWAYS', 'REJECT'] as const) {
      const { answer, after, before } = given(...steps).when(respond('p', decision))
      expect([answer, after === before]).toEqual(['PERMISSION_STATE', true])
    }
  }
})

test('P2: an answer to a request that was resolved behind its back is refused like a second one', () => {
  const { content } = given(...asked)
  const state = { kind: 'resolved', decision: 'ONCE', message: null, by: 'ann', at: 1 } as const
  const stale = { ...content, permissions: content.permissions.map((permission) => ({ ...permission, state })) }
  expect(outcomeOf(stale, [respond('p', 'REJECT')]).answer).toBe('PERMISSION_STATE')
})

test('P3: an abort cancels what waits, in the same change, and no call waits any more', () => {
  const steps = [...asked, askPermission('q', 1), askPermission('r', null)] as const
  for (const stop of [abort(), enqueue('b', { whenBusy: 'INTERRUPT' })]) {
    const outcome = given(...steps).when(stop)
    expect(resolutions(outcome)).toEqual([['p', 'CANCELLED'], ['q', 'CANCELLED'], ['r', 'CANCELLED']])
    expect([pending(outcome), calls(outcome)]).toEqual([[], ['pending', 'pending']])
    expect(statusOf(outcome.after.session)).toBe('BUSY')
  }
})

test('P3: the end of a run cancels what waits, before anything else', () => {
  for (const outcome of [completed, failed]) {
    const ending = given(...asked, askPermission('r', null)).when(conclude(outcome, {}, 1234))
    expect(kinds(ending).slice(0, 3)).toEqual(['permissionResolved', 'permissionResolved', 'callChanged'])
    expect(ending.events[0]).toMatchObject({ event: { resolution: { message: null, by: null, at: 1234 } } })
    expect(pending(ending)).toEqual([])
  }
})

test('P4: a rejection without a message fails the run, whatever it reports, and cancels its other requests', () => {
  const steps = [...asked, askPermission('q', 1)] as const
  const outcome = given(...steps).when(respond('q', 'REJECT', { by: 'carl', at: 1234 }))
  expect(resolutions(outcome)).toEqual([['q', 'REJECT'], ['p', 'CANCELLED']])
  const message = 'A person rejected the request: May it q?'
  expect(outcome.after.run && abortOf(outcome.after.run)).toEqual({ kind: 'rejected', message, by: 'carl', at: 1234 })
  expect([pending(outcome), calls(outcome)]).toEqual([[], ['pending', 'pending']])
  const { events } = given(...steps, respond('q', 'REJECT')).when(conclude(completed))
  expect(events.at(-1)).toMatchObject({
    event: { outcome: { status: 'FAILED', error: { code: 'PERMISSION_REJECTED', message, source: 'harness' } } },
  })
})

test('P4: a rejection ends a run whose model is being resolved, too', () => {
  const steps = [...admitted, askPermission('p', null), respond('p', 'REJECT')] as const
  expect(given(...steps).when(conclude(failed)).events.at(-1)).toMatchObject({
    event: { outcome: { status: 'FAILED', error: { code: 'PERMISSION_REJECTED' } }, log: 'INTERRUPTED' },
  })
})

test('P4: what a rejection says fits into an error, however long the request was', () => {
  const long = '🎈'.repeat(1024)
  const { after } = given(...calling, askPermission('p', 0, { description: long })).when(respond('p', 'REJECT'))
  const message = (after.run && abortOf(after.run)?.message) ?? ''
  expect(message.startsWith('A person rejected the request: 🎈')).toBe(true)
  expect([message.isWellFormed(), utf8Length(message) <= MAX_ERROR_MESSAGE_BYTES]).toEqual([true, true])
})

test('P4: a rejection with a message denies its call alone', () => {
  const steps = [...asked, askPermission('q', 1)] as const
  const outcome = given(...steps).when(respond('p', 'REJECT', { message: 'Not now.' }))
  expect(kinds(outcome)).toEqual(['permissionResolved', 'callChanged'])
  expect([pending(outcome), calls(outcome)]).toEqual([['q'], ['pending', 'awaiting']])
  expect(outcome.after.run && abortOf(outcome.after.run)).toBeNull()
})

test('P5: ALWAYS is granted under the key of the request, and only once', () => {
  const always = (granted: 'before' | 'not yet') => respond('p', 'ALWAYS', { granted, by: 'carl', at: 1234 })
  const outcome = given(...asked).when(always('not yet'))
  const grant = grantWith({ grantedBy: 'carl', createdAt: 1234 })
  expect(outcome.events.filter(({ type }) => type === 'granted')).toEqual([{ type: 'granted', grant }])
  expect(outcome.writes).toContainEqual({ table: 'grant', op: 'insert', row: grant })
  expect(kinds(given(...asked).when(always('before')))).not.toContain('granted')
  for (const decision of ['ONCE', 'REJECT'] as const) {
    expect(kinds(given(...asked).when(respond('p', decision)))).not.toContain('granted')
  }
})

test('P5: ALWAYS is refused for a request without a key, which waits on', () => {
  const { when } = given(...calling, askPermission('p', 0, { rememberKey: null }))
  const { decision, before, after } = when(respond('p', 'ALWAYS'))
  expect(decision).toMatchObject({
    kind: 'refused',
    refusal: { code: 'VALIDATION_FAILED', issues: [{ path: ['input', 'decision'] }] },
  })
  expect(after).toBe(before)
  expect(when(respond('p', 'ONCE')).answer).toBe('accepted')
})

test('P5: a grant is revoked in an idle session as in a busy one', () => {
  for (const steps of [[], asked]) {
    const { events, writes, after, before } = given(...steps).when(revokeGrant(grantWith(), 1234))
    expect(events).toEqual([{ type: 'grantRevoked', grant: grantWith(), at: 1234 }])
    expect(writes).toEqual([{ table: 'grant', op: 'delete', row: grantWith() }])
    expect(after).toEqual(before)
  }
})

test('P6: a session awaits permission from the first request to the last answer', () => {
  const status = (...steps: readonly Step[]) => statusOf(given(...steps).content.session)
  expect(status(...asked)).toBe('AWAITING_PERMISSION')
  expect(status(...asked, askPermission('q', 1), respond('p'))).toBe('AWAITING_PERMISSION')
  expect(status(...asked, askPermission('q', 1), respond('p'), respond('q'))).toBe('BUSY')
  expect(status(...admitted, askPermission('p', null))).toBe('AWAITING_PERMISSION')
  expect(status(...asked, openPart(2, 'text'))).toBe('AWAITING_PERMISSION')
  expect(status(...asked, beginTool(1), endTool(1))).toBe('AWAITING_PERMISSION')
  expect(status(...asked, respond('p', 'REJECT'))).toBe('BUSY')
  expect(status(...asked, abort())).toBe('BUSY')
  expect(status(...asked, conclude())).toBe('IDLE')
})

test('M6: after an answer a session goes on with what it did before', () => {
  const activity = (...steps: readonly Step[]) => activityOf(given(...generating, ...steps).content.session)
  const answered = [askPermission('p', null), respond('p')]
  expect(activity(...answered)).toBe('THINKING')
  expect(activity(openPart(0, 'text'), ...answered)).toBe('RESPONDING')
  expect(activity(openPart(0, 'reasoning'), ...answered)).toBe('THINKING')
  expect(activity(openTool(0), ...answered)).toBe('CALLING_TOOL')
})

test('P7: a call waits for the answer to its own request, and can begin after it', () => {
  const outcome = given(...asked, askPermission('q', 1)).when(respond('q'))
  expect(calls(outcome)).toEqual(['awaiting', 'pending'])
  expect(given(...asked).when(beginTool(0)).answer).toBe('unchanged')
  expect(given(...asked, respond('p')).when(beginTool(0)).answer).toBe('accepted')
})

test('P7: a call that ends while it waits takes its request with it, and no other', () => {
  const outcome = given(...asked, askPermission('q', 1)).when(endTool(0))
  expect(resolutions(outcome)).toEqual([['p', 'CANCELLED']])
  expect([pending(outcome), calls(outcome)]).toEqual([['q'], ['awaiting']])
})

test('P7: only a call that is open and has not begun can wait', () => {
  const cases: readonly (readonly [readonly Step[], number])[] = [
    [[...calling, beginTool(0)], 0],
    [[...calling, endTool(0)], 0],
    [[...asked], 0],
    [[...generating, openPart(0)], 0],
    [[...calling], 2],
  ]
  for (const [steps, partIndex] of cases) {
    const { answer, after, before } = given(...steps).when(askPermission('q', partIndex))
    expect([answer, after === before]).toEqual(['unchanged', true])
  }
})

test('P8: a request that an earlier grant answers is stored with that answer, and nothing waits', () => {
  const outcome = given(...calling).when(askPermission('p', 0, { granted: 'before', at: 1234 }))
  expect(kinds(outcome)).toEqual(['permissionRequested'])
  expect(outcome.writes).toMatchObject([
    {
      table: 'permission',
      op: 'insert',
      row: { ordinal: 0, state: { kind: 'resolved', decision: 'GRANTED_BEFORE', message: null, by: null, at: 1234 } },
    },
  ])
  expect([pending(outcome), calls(outcome)]).toEqual([[], ['pending', 'pending']])
  expect(outcome.after.session.next.permission).toBe(1)
  const responded = given(...generating, openPart(0), closePart(0, 'hello'))
  const { session } = responded.when(askPermission('p', null, { granted: 'before' })).after
  expect(activityOf(session)).toBe('RESPONDING')
})

test('P9: a run that was asked to stop asks nobody, not even an earlier grant', () => {
  for (const granted of ['before', 'not yet'] as const) {
    for (const partIndex of [0, null]) {
      expect(given(...calling, abort()).when(askPermission('p', partIndex, { granted })).answer).toBe('unchanged')
    }
  }
})

test('R4: a rejection comes too late for a run that was asked to stop, which keeps its first reason', () => {
  const { content } = given(...asked, abort())
  const stale = { ...content, permissions: given(...asked).content.permissions }
  const { after } = outcomeOf(stale, [respond('p', 'REJECT')])
  expect(after.run && abortOf(after.run)?.kind).toBe('requested')
})
