import { expect, test } from 'vitest'
import { completed, failed, requestBy, runWith } from '../../../test/support/content.ts'
import type { OfEveryKind, OfEveryType } from '../../../test/support/transition-table.ts'
import { cutOff, evolveRun } from './evolve-run.ts'
import { type RunEvent, runMachine } from './machine.ts'
import type { RunState } from './run.ts'

const model = { provider: 'offline', id: 'echo' }
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 4, cachedInputTokens: 5 }

const states: OfEveryKind<RunState> = {
  admitting: { kind: 'admitting' },
  resolving: { kind: 'resolving', aborting: null },
  generating: { kind: 'generating', aborting: requestBy('bob') },
  finalizing: { kind: 'finalizing', outcome: completed, generated: true },
  finished: { kind: 'finished', outcome: completed, at: 5 },
}

const events: OfEveryType<RunEvent> = {
  admitted: { type: 'admitted' },
  resolved: { type: 'resolved', model },
  stepEnded: { type: 'stepEnded', usage },
  counted: { type: 'counted', workedMs: 50 },
  resumed: { type: 'resumed', epoch: 7, owner: 'another server' },
  abortRequested: { type: 'abortRequested', request: requestBy('ann') },
  outcomeDecided: { type: 'outcomeDecided', outcome: failed, generated: true },
  finished: { type: 'finished', outcome: completed, log: 'ACCEPTED', at: 9 },
}

const cells = Object.values(states).flatMap((state) => Object.values(events).map((event) => ({ state, event })))

test.each(cells)('R1: a run that is $state.kind takes $event.type as its machine does', ({ state, event }) => {
  const run = runWith({ state })
  expect(evolveRun(run, event).state).toEqual(runMachine.evolve(state, event))
})

test('R1: an event that does not fit leaves the run the very same', () => {
  for (const { state, event } of cells) {
    const run = runWith({ state })
    const isStep = event.type === 'stepEnded' && state.kind === 'generating'
    const isCount = event.type === 'counted' && (state.kind === 'resolving' || state.kind === 'generating')
    expect(evolveRun(run, event) === run).toBe(!isStep && !isCount && runMachine.evolve(state, event) === state)
  }
})

test('R1: a resolved run knows its model', () => {
  const after = evolveRun(runWith(), events.resolved)
  expect(after).toEqual(runWith({ model, state: { kind: 'generating', aborting: null } }))
})

test('R9: a finished step adds to the steps and the usage of a run that generates', () => {
  const run = runWith({ state: states.generating, steps: 2, usage })
  const twice = { inputTokens: 2, outputTokens: 4, totalTokens: 6, reasoningTokens: 8, cachedInputTokens: 10 }
  expect(evolveRun(run, events.stepEnded)).toEqual({ ...run, steps: 3, usage: twice })
})

test('R102: what a run has worked grows and never shrinks', () => {
  const run = runWith({ workedMs: 49 })
  expect(evolveRun(run, events.counted)).toEqual({ ...run, workedMs: 50 })
  for (const workedMs of [50, 51]) {
    const counted = runWith({ workedMs })
    expect(evolveRun(counted, events.counted)).toBe(counted)
  }
})

const resumable = ['resolving', 'generating'] as const

test.each(resumable)('R14: a run that is %s is resumed under the new epoch and owner, and knows how often', (kind) => {
  const run = runWith({ state: states[kind], partCount: 3, stepFrom: 3, superseded: [{ from: 0, to: 2 }], attempts: 2 })
  expect(evolveRun(run, events.resumed)).toEqual({
    ...run,
    state: { ...states[kind], kind: 'resolving' },
    epoch: 7,
    owner: 'another server',
    attempts: 3,
  })
})

test('R15: what a resumption supersedes is what the step under way has opened', () => {
  const generating = runWith({ state: states.generating })
  const step = evolveRun({ ...generating, partCount: 2 }, events.stepEnded)
  expect([step.stepFrom, cutOff(step)]).toEqual([2, []])
  const cut = { ...step, partCount: 4 }
  expect(cutOff(cut)).toEqual([{ from: 2, to: 4 }])
  const resumed = evolveRun(cut, events.resumed)
  expect(resumed).toMatchObject({ stepFrom: 4, superseded: [{ from: 2, to: 4 }] })
  const again = evolveRun({ ...resumed, partCount: 5 }, events.resumed)
  expect(again).toMatchObject({ stepFrom: 5, superseded: [{ from: 2, to: 4 }, { from: 4, to: 5 }] })
  expect(evolveRun(again, events.resumed).superseded).toEqual(again.superseded)
})
