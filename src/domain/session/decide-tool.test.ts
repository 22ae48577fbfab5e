import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  callWith,
  closePart,
  completed,
  conclude,
  endTool,
  enqueue,
  failed,
  given,
  openPart,
  openTool,
  type Outcome,
  outcomeOf,
  reconcile,
  resolve,
  respond,
  runOf,
  type Step,
  written,
} from '../../../test/support/content.ts'
import { asIntentId } from '../../kernel/ids.ts'
import type { Effect } from '../tool/call.ts'
import type { Reconciliation, UncertainExecution } from '../tool/execution.ts'
import { notExecuted, outcomeUnknown } from '../tool/result.ts'
import { activityOf } from './session.ts'

const generating = [enqueue('a'), admit('a'), begin(), resolve()] as const
const calling = [...generating, openTool(0), openTool(1)] as const
const running = [...calling, beginTool(0, 1100)] as const

const kinds = ({ events }: Outcome) => events.map(({ type }) => type)
const logged = ({ events }: Outcome) => events.flatMap((event) => (event.type === 'logged' ? [event.body] : []))
const listed = ({ events }: Outcome) =>
  events.flatMap((event) => (event.type === 'executionListed' ? [event.execution] : []))
const resultOf = (partIndex: number, result: unknown) => ({
  kind: 'result',
  toolCallId: `call ${partIndex}`,
  toolName: 'write',
  result,
})

test('M3: only a run that generates opens a part for a call, only the next one, and only once', () => {
  expect(given(enqueue('a'), admit('a')).when(openTool(0)).answer).toBe('unchanged')
  expect(given(...generating).when(openTool(1)).answer).toBe('unchanged')
  expect(given(...generating, openTool(0)).when(openTool(0)).answer).toBe('unchanged')
  expect(given(...generating, openTool(0)).when(openPart(0)).answer).toBe('unchanged')
  const { after } = given(...generating, openPart(0)).when(openTool(1, { toolName: 'read' }, 1234))
  expect(after.run?.partCount).toBe(2)
  expect(after.open[1]).toEqual({
    partIndex: 1,
    kind: 'tool',
    startedAt: 1234,
    call: callWith({ toolCallId: 'call 1', toolName: 'read' }),
    permissionId: null,
    child: null,
    state: { kind: 'pending' },
  })
})

test('M3: text does not grow in the part of a call, and text is no call', () => {
  const { when } = given(...generating, openTool(0), openPart(1))
  expect(when(closePart(0, 'hello')).answer).toBe('unchanged')
  for (const step of [beginTool(1), endTool(1), beginTool(2), endTool(2)]) expect(when(step).answer).toBe('unchanged')
})

test('T2: a call begins once', () => {
  expect(given(...calling).when(beginTool(0)).answer).toBe('accepted')
  expect(given(...running).when(beginTool(0)).answer).toBe('unchanged')
  expect(given(...running, endTool(0)).when(beginTool(0)).answer).toBe('unchanged')
})

test('T2: a call does not begin while it waits for an answer', () => {
  expect(given(...calling, askPermission('p', 0)).when(beginTool(0)).answer).toBe('unchanged')
  expect(given(...calling, askPermission('p', 0)).when(beginTool(1)).answer).toBe('accepted')
  expect(given(...calling, askPermission('p', 0), respond('p')).when(beginTool(0)).answer).toBe('accepted')
})

test('T2: a run that was asked to stop begins no call', () => {
  expect(given(...calling, abort()).when(beginTool(0)).answer).toBe('unchanged')
  const rejected = [...calling, askPermission('p', 0), respond('p', 'REJECT')]
  for (const index of [0, 1]) expect(given(...rejected).when(beginTool(index)).answer).toBe('unchanged')
})

test('T3: the intent is in the log in the change that begins the call', () => {
  const outcome = given(...calling).when(beginTool(1, 1234))
  expect(kinds(outcome)).toEqual(['callChanged', 'logged'])
  expect(outcome.events).toMatchObject([
    { event: { type: 'begun', at: 1234 }, part: { partIndex: 1 } },
    { runId: 'run of a', at: 1234, body: { kind: 'intent', toolCallId: 'call 1', toolName: 'write' } },
  ])
})

test('T4: the result is in the log in the change that ends the call, however far it has come', () => {
  for (const steps of [calling, running, [...calling, askPermission('p', 0)]]) {
    const outcome = given(...steps).when(endTool(0, written, 1234))
    expect(logged(outcome)).toEqual([resultOf(0, written)])
    expect(outcome.after.open.map(({ partIndex }) => partIndex)).toEqual([1])
    expect(listed(outcome)).toEqual([])
  }
})

test('T4: a call ends once: a result that comes later changes nothing', () => {
  const over = given(...running, endTool(0))
  expect(over.when(endTool(0)).answer).toBe('unchanged')
  expect(given(...running, conclude()).when(endTool(0)).answer).toBe('unchanged')
})

test('T4: a call that is open when its run ends gets its result then, before the outcome', () => {
  for (const outcome of [completed, failed]) {
    const ending = given(...running).when(conclude(outcome, {}, 1234))
    expect(logged(ending)).toMatchObject([resultOf(0, outcomeUnknown), resultOf(1, notExecuted), { kind: 'outcome' }])
    expect(ending.after.open).toEqual([])
  }
})

test('T4: a run that was asked to stop takes the results of calls that end in time', () => {
  const outcome = given(...running, abort()).when(endTool(0))
  expect(logged(outcome)).toEqual([resultOf(0, written)])
})

const effects: readonly [Effect, boolean][] = [
  ['none', false],
  ['repeatable', true],
  ['once', true],
]

test.each(effects)('T5: that nobody knows the end of a call of effect %s is listed: %s', (effect, isListed) => {
  const steps = [...generating, openTool(0, { effect }), beginTool(0, 1100)] as const
  for (const end of [conclude(completed, {}, 1234), endTool(0, outcomeUnknown, 1234)]) {
    const outcome = given(...steps).when(end)
    expect(listed(outcome).map(({ toolCallId }) => toolCallId)).toEqual(isListed ? ['call 0'] : [])
    expect(logged(outcome)[0]).toEqual(resultOf(0, isListed ? outcomeUnknown : notExecuted))
  }
})

test('T5: a call that did not begin is not listed, whatever is said of it', () => {
  for (const steps of [calling, [...calling, askPermission('p', 0)]]) {
    const outcome = given(...steps).when(endTool(0, outcomeUnknown))
    expect([listed(outcome), logged(outcome)]).toEqual([[], [resultOf(0, notExecuted)]])
  }
})

test('T5: an execution is listed with what is known of its call', () => {
  const earlier = [...running, endTool(0, outcomeUnknown, 1200)] as const
  const steps = [...earlier, openTool(2), beginTool(1, 1300), beginTool(2, 1400)] as const
  const known: Omit<UncertainExecution, 'state'> = {
    sessionKey: given().content.session.key,
    ordinal: 1,
    intentId: asIntentId('run of a.call.1'),
    runId: runOf('a'),
    toolCallId: 'call 1',
    toolName: 'write',
    messageIndex: 1,
    partIndex: 1,
    startedAt: 1300,
    uncertainSince: 1500,
  }
  const outcome = given(...steps).when(conclude(completed, {}, 1500))
  expect(listed(outcome)).toEqual([
    { ...known, state: { kind: 'uncertain' } },
    {
      ...known,
      ordinal: 2,
      intentId: 'run of a.call.2',
      toolCallId: 'call 2',
      partIndex: 2,
      startedAt: 1400,
      state: { kind: 'uncertain' },
    },
  ])
  expect(outcome.after.session.next.execution).toBe(3)
})

const ended = given(...running).when(conclude(completed, {}, 1234))
const [execution] = listed(ended)
if (!execution) throw new Error('A call that began is uncertain when its run ends.')

const findings: readonly Reconciliation[] = [
  { outcome: 'SUCCEEDED', output: { written: true } },
  { outcome: 'FAILED', error: failed.error },
  { outcome: 'NOT_EXECUTED' },
]

test.each(findings)('T6, T7: what a person found out is stored and in the log: %o', (found) => {
  const outcome = outcomeOf(ended.after, [reconcile(execution, found, 2000)])
  const state = { kind: 'reconciled', found, by: 'bob', at: 2000 }
  expect(outcome.writes).toMatchObject([
    { table: 'execution', op: 'update', row: { ...execution, state } },
    { table: 'log', op: 'insert', row: { runId: runOf('a'), createdAt: 2000, body: { kind: 'reconciled', found } } },
  ])
  expect(logged(outcome)).toEqual([{ kind: 'reconciled', toolCallId: 'call 0', toolName: 'write', found }])
})

test('T6: an execution that was reconciled is refused and nothing changes', () => {
  const state = { kind: 'reconciled', found: { outcome: 'NOT_EXECUTED' }, by: 'ann', at: 1500 } as const
  const { decision, after, before } = outcomeOf(ended.after, [reconcile({ ...execution, state })])
  expect(decision).toMatchObject({ kind: 'refused', refusal: { code: 'RECONCILIATION_STATE' } })
  expect(after).toBe(before)
})

test('T7: a person can find out while another run is active, which goes on as it was', () => {
  const { content } = given(...running, conclude(completed, {}, 1234), enqueue('b'), admit('b'))
  const { after } = outcomeOf(content, [reconcile(execution)])
  const { next } = content.session
  expect(after).toEqual({ ...content, session: { ...content.session, next: { ...next, log: next.log + 1 } } })
})

test('T8: a session calls tools from the first call that opens to the last that ends', () => {
  const activity = (...steps: readonly Step[]) => activityOf(given(...generating, ...steps).content.session)
  expect(activity(openTool(0))).toBe('CALLING_TOOL')
  expect(activity(openTool(0), openPart(1, 'text'))).toBe('CALLING_TOOL')
  expect(activity(openTool(0), openTool(1), beginTool(0), endTool(0))).toBe('CALLING_TOOL')
  expect(activity(openTool(0), openTool(1), endTool(0), endTool(1))).toBe('THINKING')
  expect(activity(openTool(0), askPermission('p', 0))).toBe('AWAITING_PERMISSION')
  expect(activity(openTool(0), askPermission('p', 0), respond('p'))).toBe('CALLING_TOOL')
})

test('M6: when the last call has ended a session does what the text says that still streams', () => {
  const activity = (...steps: readonly Step[]) => activityOf(given(...generating, ...steps).content.session)
  expect(activity(openPart(0, 'text'), openTool(1), endTool(1))).toBe('RESPONDING')
  expect(activity(openPart(0, 'reasoning'), openTool(1), endTool(1))).toBe('THINKING')
  expect(activity(openPart(0, 'text'), openTool(1), closePart(0, 'hello'), endTool(1))).toBe('THINKING')
})
