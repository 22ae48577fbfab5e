import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  closePart,
  conclude,
  endStep,
  endTool,
  enqueue,
  failed,
  given,
  growPart,
  openPart,
  openTool,
  type Outcome,
  outcomeOf,
  reconcile,
  resolve,
  respond,
  resume,
  type Step,
  written,
} from '../../../test/support/content.ts'
import type { Reconciliation } from '../tool/execution.ts'
import { deniedBecause, foundNotExecuted, notExecuted, outcomeUnknown, type ToolResult } from '../tool/result.ts'
import { noUsage } from '../run/usage.ts'
import { abortOf } from '../run/run.ts'
import type { Content } from './content.ts'
import { activityOf } from './session.ts'

const admitted = [enqueue('a'), admit('a')] as const
const generating = [...admitted, begin(), resolve()] as const

/** A durable step with a call of each effect. */
const called = [
  ...generating,
  openTool(0),
  openTool(1, { effect: 'repeatable' }),
  openTool(2, { effect: 'none' }),
  endStep(noUsage),
] as const
const running = [...called, beginTool(0, 1100), beginTool(1, 1101), beginTool(2, 1102)] as const

const kinds = ({ events }: Outcome) => events.map(({ type }) => type)
const calls = ({ open }: Content) => open.map((part) => part.kind === 'tool' && part.state)
const logged = ({ events }: Outcome) => events.flatMap((event) => (event.type === 'logged' ? [event.body] : []))
const listed = ({ events }: Outcome) =>
  events.flatMap((event) => (event.type === 'executionListed' ? [event.execution] : []))
const told = ({ announced }: Outcome) => announced.map(({ body }) => body.type)

test('R14: a run goes on under the next epoch, with another owner, and its entry as it was', () => {
  const outcome = given(...generating, endStep()).when(resume('another server', {}, 1234))
  expect(kinds(outcome)).toEqual(['runChanged'])
  const { session, run, entries } = outcome.after
  expect(session).toMatchObject({ epoch: 2, owner: 'another server', updatedAt: 1000 })
  expect(run).toMatchObject({ epoch: 2, owner: 'another server', attempts: 2, steps: 1, state: { kind: 'resolving' } })
  expect(entries.map(({ state }) => state.kind)).toEqual(['running'])
  expect(told(outcome)).toEqual([])
})

test('R14: a run goes on from before its model was resolved, and more than once', () => {
  const { run, session } = given(...admitted, resume(), resume('a third server')).content
  expect(run).toMatchObject({ epoch: 3, owner: 'a third server', attempts: 3, superseded: [] })
  expect(session).toMatchObject({ epoch: 3, owner: 'a third server' })
})

test('R14: what an epoch that is over asks for changes nothing', () => {
  const { content } = given(...generating, openPart(0))
  const late = [openPart(1), growPart(0, 0, 'hello'), closePart(0, 'hello'), endStep(), conclude(), resume()].map((step) =>
    typeof step === 'function' ? step(content) : step,
  )
  const { after } = outcomeOf(content, [resume()])
  for (const step of late) expect(outcomeOf(after, [step]).answer).toBe('unchanged')
})

test('R14: a run of which the outcome is decided, or that has ended, does not go on', () => {
  const { content } = given(...generating)
  const state = { kind: 'finalizing', outcome: failed, generated: true } as const
  const finalizing: Content = { ...content, run: content.run && { ...content.run, state } }
  expect(outcomeOf(finalizing, [resume()]).answer).toBe('unchanged')
  expect(given(...generating, conclude()).when(resume()).answer).toBe('unchanged')
})

test('R14: a run that was asked to stop is still to stop', () => {
  const { run } = given(...generating, abort(), resume()).content
  expect(run && abortOf(run)?.kind).toBe('requested')
})

test('R15: text that is open closes as INTERRUPTED, with what is durable of it, and is superseded at once', () => {
  const steps = [openPart(0), closePart(0, 'Well.'), endStep(), openPart(1, 'reasoning'), closePart(1, 'Hm.'), openPart(2)]
  const outcome = given(...generating, ...steps, openPart(3)).when(resume('another server', { 2: 'So far' }, 1234))
  expect(outcome.events.slice(0, 2)).toMatchObject([
    { type: 'partClosed', part: { partIndex: 2 }, text: 'So far', status: 'INTERRUPTED', at: 1234 },
    { type: 'partClosed', part: { partIndex: 3 }, text: '', status: 'INTERRUPTED', at: 1234 },
  ])
  expect(outcome.after.open).toEqual([])
  expect(outcome.after.run).toMatchObject({ superseded: [{ from: 1, to: 4 }], stepFrom: 4 })
  const messages = outcome.writes.flatMap((write) => (write.table === 'message' ? [write.row] : []))
  expect(messages).toMatchObject([{ role: 'ASSISTANT', updatedAt: 1234, superseded: [{ from: 1, to: 4 }] }])
  expect(told(outcome)).toEqual(['part.completed', 'part.completed', 'message.updated'])
  expect(activityOf(outcome.after.session)).toBe('THINKING')
})

test('R15: text of a durable step that is open closes, too, and stays in the message', () => {
  const { run, open } = given(...generating, openPart(0), endStep(), resume()).content
  expect([run?.superseded, open]).toEqual([[], []])
})

test('R17: requests that calls wait for wait on, those of the application and of the cut-off step are cancelled', () => {
  const asked = [askPermission('p', 0), askPermission('q', null), openTool(3), askPermission('r', 3)] as const
  const outcome = given(...called, ...asked).when(resume())
  const cancelled = outcome.events.flatMap((event) =>
    event.type === 'permissionResolved' ? [[event.permission.permissionId, event.event.resolution.decision]] : [],
  )
  expect(cancelled).toEqual([['q', 'CANCELLED'], ['r', 'CANCELLED']])
  expect(outcome.after.permissions.map(({ permissionId }) => permissionId)).toEqual(['p'])
  expect(calls(outcome.after)[0]).toEqual({ kind: 'awaiting', permissionId: 'p' })
  expect(activityOf(outcome.after.session)).toBe('AWAITING_PERMISSION')
  expect(outcomeOf(outcome.after, [respond('p')]).answer).toBe('accepted')
})

test('R17: a session whose only request nobody waits for any more awaits no permission', () => {
  const { session } = given(...generating, askPermission('p', null), resume()).content
  expect(activityOf(session)).toBe('THINKING')
})

test('T12: calls that had begun are reset if they can be repeated, otherwise unknown and listed', () => {
  const outcome = given(...running).when(resume('another server', {}, 1234))
  expect(calls(outcome.after)).toEqual([
    { kind: 'unknown', since: 1100 },
    { kind: 'pending', begunBefore: 1101 },
    { kind: 'pending', begunBefore: 1102 },
  ])
  expect(listed(outcome)).toMatchObject([
    { ordinal: 0, toolCallId: 'call 0', startedAt: 1100, uncertainSince: 1234, state: { kind: 'uncertain' } },
  ])
  expect(told(outcome)).toEqual(['part.updated', 'tool.uncertain', 'part.updated', 'part.updated'])
  const parts = outcome.writes.flatMap((write) => (write.table === 'part' ? [write.row] : []))
  expect(parts).toMatchObject([
    { status: 'UNCERTAIN', finishedAt: null, body: { begunAt: 1100, error: null } },
    { status: 'PENDING', body: { begunAt: 1101 } },
    { status: 'PENDING', body: { begunAt: 1102 } },
  ])
  expect(logged(outcome)).toEqual([])
})

test('T12: calls that had not begun stay as they are', () => {
  const { content } = given(...called, askPermission('p', 1))
  expect(outcomeOf(content, [resume()]).after.open).toEqual(content.open)
})

test('T12: calls of the step that was cut off end with it, each with a result', () => {
  const cut = [...generating, openTool(0), openTool(1), openTool(2), beginTool(1, 1100), beginTool(2, 1101)] as const
  const outcome = given(...cut).when(resume())
  expect(outcome.after.open).toEqual([])
  expect(logged(outcome)).toMatchObject([{ result: notExecuted }, { result: outcomeUnknown }, { result: outcomeUnknown }])
  expect(listed(outcome).map(({ ordinal, toolCallId }) => [ordinal, toolCallId])).toEqual([[0, 'call 1'], [1, 'call 2']])
})

test('R92: a call that was reset and does not begin again is uncertain, whatever stood against it', () => {
  const reset = given(...running, resume(), resolve())
  const denied = reset.when(endTool(1, deniedBecause('no')))
  expect(logged(denied)).toMatchObject([{ result: outcomeUnknown }])
  expect(listed(denied)).toMatchObject([{ ordinal: 1, toolCallId: 'call 1', startedAt: 1101, state: { kind: 'uncertain' } }])
  expect(logged(reset.when(endTool(2, deniedBecause('no'))))).toMatchObject([{ result: deniedBecause('no') }])
  const again = given(...running, resume(), resolve(), beginTool(1, 1300)).when(endTool(1))
  expect(listed(again)).toEqual([])
})

test('T2, T3: a call that was reset begins once more, with an intent of its own', () => {
  const again = given(...running, resume(), resolve()).when(beginTool(1, 1300))
  expect(calls(again.after)[1]).toEqual({ kind: 'running', since: 1300 })
  expect(logged(again)).toEqual([{ kind: 'intent', toolCallId: 'call 1', toolName: 'write' }])
  expect(given(...running, resume(), resolve()).when(beginTool(0)).answer).toBe('unchanged')
})

test('T5: a call that was reset and does not begin again may have happened, unless it has no effects', () => {
  const outcome = given(...running, resume(), askPermission('p', 1)).when(conclude(failed, {}, 1300))
  expect(logged(outcome).slice(0, 3)).toMatchObject([
    { toolCallId: 'call 0', result: outcomeUnknown },
    { toolCallId: 'call 1', result: outcomeUnknown },
    { toolCallId: 'call 2', result: notExecuted },
  ])
  expect(listed(outcome)).toMatchObject([{ ordinal: 1, toolCallId: 'call 1', startedAt: 1101 }])
})

const lost = [...generating, openTool(0), endStep(), beginTool(0, 1100), resume()] as const

function executionOf(...steps: readonly [Step, ...Step[]]) {
  const [execution] = listed(given(...steps.slice(0, -1)).when(steps.at(-1) ?? steps[0]))
  if (!execution) throw new Error('A call that is lost is listed.')
  return execution
}

const findings: readonly (readonly [Reconciliation, ToolResult])[] = [
  [{ outcome: 'SUCCEEDED', output: { written: true } }, written],
  [{ outcome: 'FAILED', error: failed.error }, { status: 'FAILED', error: failed.error }],
  [{ outcome: 'NOT_EXECUTED' }, foundNotExecuted],
]

test.each(findings)('T7, T13: what a person found out is the result of a call that waits for it: %j', (found, result) => {
  const outcome = given(...lost).when(reconcile(executionOf(...lost), found, 1300))
  expect(kinds(outcome)).toEqual(['executionReconciled', 'callChanged', 'logged', 'workChanged'])
  expect(logged(outcome)).toEqual([{ kind: 'result', toolCallId: 'call 0', toolName: 'write', result }])
  expect(outcome.after.open).toEqual([])
  expect(told(outcome)).toEqual(['tool.reconciled', 'part.completed'])
  expect(activityOf(outcome.after.session)).toBe('THINKING')
})

test('T7: of a call that has ended a person’s finding is told by itself, also while its run is live', () => {
  const ending = [...generating, openTool(0), beginTool(0), endTool(0, outcomeUnknown)] as const
  const outcome = given(...ending).when(reconcile(executionOf(...ending)))
  expect(logged(outcome)).toMatchObject([{ kind: 'reconciled', toolCallId: 'call 0' }])
})

test('T13: nobody but a person, or the end of its run, ends an unknown call, which stays unknown until then', () => {
  const waiting = given(...lost, resolve())
  for (const result of [written, outcomeUnknown]) expect(waiting.when(endTool(0, result)).answer).toBe('unchanged')
  expect(waiting.when(askPermission('p', 0)).answer).toBe('unchanged')
  expect(calls(waiting.when(resume()).after)).toEqual([{ kind: 'unknown', since: 1100 }])
  expect(listed(waiting.when(resume()))).toEqual([])
  const outcome = given(...lost, abort()).when(conclude())
  expect(logged(outcome)[0]).toMatchObject({ kind: 'result', result: outcomeUnknown })
  expect(listed(outcome)).toEqual([])
  expect(outcome.after.session.next.execution).toBe(1)
})

test('T14: a session awaits reconciliation while all open calls are unknown and nobody is asked', () => {
  const activity = (...steps: readonly Step[]) => activityOf(given(...lost, resolve(), ...steps).content.session)
  expect(activity()).toBe('AWAITING_RECONCILIATION')
  expect(activity(openPart(1, 'text'))).toBe('AWAITING_RECONCILIATION')
  expect(activity(openTool(1))).toBe('CALLING_TOOL')
  expect(activity(openTool(1), beginTool(1), endTool(1))).toBe('AWAITING_RECONCILIATION')
  expect(activity(askPermission('p', null))).toBe('AWAITING_PERMISSION')
  expect(activity(abort())).toBe('AWAITING_RECONCILIATION')
})
