import { expect, test } from 'vitest'
import {
  abort,
  admit,
  askPermission,
  begin,
  beginTool,
  delegateTool,
  closePart,
  completed,
  conclude,
  count,
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
  refOf,
  resolve,
  resume,
  runOf,
  type Step,
} from '../../../test/support/content.ts'
import type { RunOutcome } from '../run/outcome.ts'
import { noUsage } from '../run/usage.ts'
import type { ContentCommand, RunRef } from './commands.ts'
import type { Content } from './content.ts'

type OfRun = Extract<ContentCommand, { run: RunRef }>

const kinds = ({ events }: Outcome) => events.map(({ type }) => type)
const admitted = [enqueue('a'), admit('a')] as const
const generating = [...admitted, begin(), resolve()] as const

/** Every command that a run gives, with a content in which it is accepted. */
const commands: { readonly [T in OfRun['type']]: readonly [Content, Step] } = {
  begin: [given(...admitted).content, begin()],
  resume: [given(...generating, openPart(0)).content, resume()],
  resolve: [given(...admitted).content, resolve()],
  openPart: [given(...generating, openPart(0)).content, openPart(1)],
  growPart: [given(...generating, openPart(0)).content, growPart(0, 0, 'hello')],
  closePart: [given(...generating, openPart(0)).content, closePart(0, 'hello')],
  openTool: [given(...generating).content, openTool(0)],
  askPermission: [given(...generating).content, askPermission('p', null)],
  beginTool: [given(...generating, openTool(0)).content, beginTool(0)],
  delegateTool: [given(...generating, openTool(0, { effect: 'child' }), beginTool(0)).content, delegateTool(0)],
  endTool: [given(...generating, openTool(0)).content, endTool(0)],
  endStep: [given(...generating).content, endStep()],
  count: [given(...generating).content, count(5)],
  conclude: [given(...generating, openPart(0)).content, conclude()],
}

/** The command as another run would give it. */
const from =
  (ref: RunRef, step: Step): Step =>
  (content) => {
    const command = typeof step === 'function' ? step(content) : step
    return { ...command, run: ref } as ContentCommand
  }

const cases = Object.entries(commands)

test.each(cases)('R5: %s is taken from the current run only, at its epoch', (_, [content, step]) => {
  const refs = [
    { runId: runOf('a'), epoch: 0 },
    { runId: runOf('a'), epoch: 2 },
    { runId: runOf('b'), epoch: 1 },
  ]
  expect(outcomeOf(content, [step]).answer).toBe('accepted')
  for (const ref of refs) expect(outcomeOf(content, [from(ref, step)]).answer).toBe('unchanged')
})

test.each(cases)('R5: %s changes nothing when no run is active', (_, [, step]) => {
  expect(given(...generating, conclude(), enqueue('b')).when(step).answer).toBe('unchanged')
  const late = from({ runId: runOf('a'), epoch: 1 }, step)
  expect(given(...generating, conclude(), enqueue('b')).when(late).answer).toBe('unchanged')
  expect(given(...generating, conclude(), enqueue('b'), admit('b')).when(late).answer).toBe('unchanged')
})

test('Q5: an entry is running when its model is being resolved, which is said once', () => {
  const { after } = given(...admitted).when(begin())
  expect(after.entries.map(({ state }) => state.kind)).toEqual(['running'])
  expect(given(...admitted, begin()).when(begin()).answer).toBe('unchanged')
})

test('R1: the model of a run is resolved once', () => {
  const { after } = given(...admitted).when(resolve())
  expect(after.run).toMatchObject({ model: { provider: 'offline', id: 'echo' }, state: { kind: 'generating' } })
  expect(given(...admitted, resolve()).when(resolve()).answer).toBe('unchanged')
})

test('M3: only a run that generates opens parts, only the next one, and only once', () => {
  expect(given(...admitted).when(openPart(0)).answer).toBe('unchanged')
  expect(given(...generating).when(openPart(1)).answer).toBe('unchanged')
  expect(given(...generating, openPart(0)).when(openPart(0)).answer).toBe('unchanged')
  expect(given(...generating, openPart(0), closePart(0, '')).when(openPart(0)).answer).toBe('unchanged')
  const { after } = given(...generating, openPart(0, 'reasoning', 1234)).when(openPart(1, 'text', 1235))
  expect(after.run?.partCount).toBe(2)
  expect(after.open).toEqual([
    { partIndex: 0, kind: 'reasoning', startedAt: 1234 },
    { partIndex: 1, kind: 'text', startedAt: 1235 },
  ])
})

test('M3: only a part that is open grows and closes', () => {
  const closed = given(...generating, openPart(0), closePart(0, 'hello'))
  for (const step of [growPart(0, 5, '!'), closePart(0, 'hello!'), growPart(1, 0, '!'), closePart(1, '!')]) {
    expect(closed.when(step).answer).toBe('unchanged')
  }
  const open = given(...generating, openPart(0), openPart(1))
  expect(open.when(growPart(1, 3, 'lo')).events).toMatchObject([{ type: 'partGrown', offset: 3, text: 'lo' }])
  const outcome = open.when(closePart(0, 'hello', 1234))
  expect(outcome.events).toMatchObject([{ type: 'partClosed', text: 'hello', status: 'COMPLETED', at: 1234 }])
  expect(outcome.after.open.map(({ partIndex }) => partIndex)).toEqual([1])
})

test('M6: a session thinks or responds as the part that was opened last says', () => {
  const work = (...parts: readonly Step[]) => given(...generating, ...parts).content.session.work
  expect(work()).toMatchObject({ doing: 'THINKING', since: 1000 })
  expect(work(openPart(0, 'reasoning', 2000))).toMatchObject({ doing: 'THINKING', since: 1000 })
  expect(work(openPart(0, 'text', 2000))).toMatchObject({ doing: 'RESPONDING', since: 2000 })
  expect(work(openPart(0, 'text', 2000), openPart(1, 'text', 3000))).toMatchObject({ doing: 'RESPONDING', since: 2000 })
  const again = work(openPart(0, 'text', 2000), openPart(1, 'reasoning', 3000))
  expect(again).toMatchObject({ doing: 'THINKING', since: 3000 })
})

test('R9: a finished step adds to the run and its session what it used', () => {
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 4, cachedInputTokens: 5 }
  const { after, rollUps } = given(...generating, endStep(usage)).when(endStep(usage))
  const twice = { inputTokens: 2, outputTokens: 4, totalTokens: 6, reasoningTokens: 8, cachedInputTokens: 10 }
  expect(after.run).toMatchObject({ steps: 2, usage: twice })
  expect(after.session.usage).toEqual(twice)
  expect(rollUps).toEqual([{ scopeKey: 2, paths: ['000000000003'], usage, descendants: 0 }])
  expect(given(...admitted).when(endStep(usage)).answer).toBe('unchanged')
})

test('R102: what a run has worked is remembered with it, and told to nobody', () => {
  const counted = given(...generating).when(count(50))
  expect(counted.after).toEqual({ ...counted.before, run: { ...counted.before.run, workedMs: 50 } })
  expect(counted.writes).toEqual([{ table: 'run', op: 'update', row: counted.after.run }])
  expect([counted.announced, counted.rollUps]).toEqual([[], []])
  expect(given(...admitted).when(count(50)).after.run?.workedMs).toBe(50)
  for (const ms of [50, 49]) expect(given(...generating, count(50)).when(count(ms)).answer).toBe('unchanged')
})

test('R11: a finished step is in the log as the agent wrote it', () => {
  const { events } = given(...generating).when(endStep(noUsage, 1234))
  const body = { kind: 'step', output: { said: 'something' } }
  expect(events.at(-1)).toEqual({ type: 'logged', runId: runOf('a'), at: 1234, body })
})

test('R11: a finished step names the calls that are in its output, in their order', () => {
  const step = { type: 'endStep', output: null, calls: ['call 1', 'call 0'], usage: noUsage, at: 1234 } as const
  const { events } = given(...generating).when((content) => ({ ...step, run: refOf(content) }))
  expect(events.at(-1)).toMatchObject({ body: { kind: 'step', output: null, calls: ['call 1', 'call 0'] } })
})

test('R3: a run and its entry end together, with one outcome, and the session turns to the rest of its queue', () => {
  const outcome = given(...generating, enqueue('b'), openPart(0)).when(conclude(failed, { 0: 'hel' }, 1234))
  expect(kinds(outcome)).toEqual([
    'partClosed',
    'logged',
    'messageUpdated',
    'messageUpdated',
    'entryChanged',
    'workChanged',
    'runChanged',
    'runChanged',
  ])
  expect(outcome.events).toMatchObject([
    { text: 'hel', status: 'FAILED', at: 1234 },
    { body: { kind: 'outcome', outcome: 'REJECTED', ...failed }, at: 1234 },
    { message: 'user', at: 1234 },
    { message: 'assistant', at: 1234 },
    { entry: { queueId: 'a' }, event: { type: 'finished', outcome: failed, at: 1234 } },
    { event: { type: 'ended', left: 1, at: 1234 } },
    { event: { type: 'outcomeDecided', outcome: failed, generated: true } },
    { event: { type: 'finished', outcome: failed, log: 'REJECTED', at: 1234 } },
  ])
  const { session, entries, run, open } = outcome.after
  expect([run, open, entries.map(({ queueId }) => queueId)]).toEqual([null, [], ['b']])
  expect(session.work).toEqual({ kind: 'queued', since: 1234 })
})

test('R3: a run can end before its model is resolved', () => {
  const { events, after } = given(...admitted).when(conclude(failed))
  expect(events[0]).toMatchObject({ type: 'logged', body: { outcome: 'INTERRUPTED', status: 'FAILED' } })
  expect(after.session.work.kind).toBe('idle')
})

test('R3: a run whose outcome was decided ends with that one', () => {
  const { content } = given(...generating)
  const finalizing: Content = {
    ...content,
    run: content.run && { ...content.run, state: { kind: 'finalizing', outcome: failed, generated: true } },
  }
  const { events, after } = outcomeOf(finalizing, [conclude(completed)])
  expect(events.at(-1)).toMatchObject({ event: { type: 'finished', outcome: failed } })
  expect(after.run).toBeNull()
})

test('R3: a run that has ended does not end again', () => {
  const { content } = given(...generating)
  const state = { kind: 'finished', outcome: failed, at: 7 } as const
  const over: Content = { ...content, run: content.run && { ...content.run, state } }
  expect(outcomeOf(over, [conclude()]).answer).toBe('unchanged')
})

test.each<[RunOutcome['status'], RunOutcome]>([
  ['COMPLETED', completed],
  ['FAILED', failed],
  ['CANCELLED', { ...failed, status: 'CANCELLED' }],
])('M2: parts that are open when a run ends %s close with its status and the text so far', (status, proposed) => {
  const parts = [openPart(0), openPart(1, 'reasoning'), openPart(2), closePart(1, 'so')]
  const { events } = given(...generating, ...parts).when(conclude(proposed, { 0: 'hel' }))
  const closed = events.flatMap((event) => (event.type === 'partClosed' ? [event] : []))
  expect(closed.map(({ part, text, status: as }) => [part.partIndex, text, as])).toEqual([
    [0, 'hel', status],
    [2, '', status],
  ])
})

test('R4: a run that is being aborted ends cancelled, its open parts, its entry and its log entry with it', () => {
  const error = { code: 'ABORTED', message: 'Enough.', source: 'harness' }
  for (const proposed of [completed, failed]) {
    const { events } = given(...generating, openPart(0), abort()).when(conclude(proposed))
    expect(events).toMatchObject([
      { type: 'partClosed', status: 'CANCELLED' },
      { type: 'logged', body: { outcome: 'INTERRUPTED', status: 'CANCELLED', error } },
      { type: 'messageUpdated' },
      { type: 'messageUpdated' },
      { type: 'entryChanged', event: { outcome: { status: 'CANCELLED', error } } },
      { type: 'workChanged' },
      { type: 'runChanged' },
      { type: 'runChanged', event: { outcome: { status: 'CANCELLED', error } } },
    ])
  }
})

test('R4: what a run reports between the abort and its end is kept', () => {
  const { after } = given(...generating, abort(), openPart(0), growPart(0, 0, 'so far')).when(endStep())
  expect([after.run?.steps, after.open.length]).toEqual([1, 1])
})

test('Q10: nothing that a run does between its beginning and its end is news', () => {
  const at = 2000
  const steps = [begin(at), resolve(at), openPart(0, 'text', at), closePart(0, '', at), endStep(noUsage, at)]
  expect(given(...admitted, ...steps).content.session.updatedAt).toBe(1000)
})
