import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../../test/support/content.ts'
import { ContentRows } from '../../../test/support/content-rows.ts'
import { type Walk, walks } from '../../../test/support/content-walks.ts'
import { accepted, bodiesOf, holds, outcomesOf, rowsAfter } from '../../../test/support/walk-laws.ts'
import { isStreaming, type OpenTool, type Part } from '../message/message.ts'
import { isLive, type Run } from '../run/run.ts'
import { activityOf } from './session.ts'

/** A resumption, with the run that it met and the one that it left. */
interface Resumption {
  readonly outcome: Outcome
  readonly met: Run
  readonly left: Run
}

const resumptionsIn = (walk: Walk): readonly Resumption[] =>
  accepted(walk, 'resume').flatMap(({ outcome }) => {
    const { before, after } = outcome
    return before.run && after.run ? [{ outcome, met: before.run, left: after.run }] : []
  })

const callsOf = ({ open }: Outcome['before']): readonly OpenTool[] => open.filter((part) => part.kind === 'tool')

const stateOf = (content: Outcome['after'], index: number): OpenTool['state']['kind'] | undefined =>
  callsOf(content).find(({ partIndex }) => partIndex === index)?.state.kind

const partRows = ({ writes }: Outcome): readonly Part[] =>
  writes.flatMap((write) => (write.table === 'part' ? [write.row] : []))

test('the walks come across resumptions that find and leave everything there is', () => {
  const walked = fc.sample(walks, { numRuns: 300, seed: 1 })
  const all = walked.flatMap(resumptionsIn)
  const met = new Set<string>()
  for (const { outcome, met: run } of all) {
    const { before, after } = outcome
    for (const { partIndex, state, call } of callsOf(before)) {
      const step = partIndex < run.stepFrom ? 'durable' : 'cut off'
      met.add(`${step} ${state.kind} ${state.kind === 'running' ? call.effect : 'any'}`)
    }
    if (before.open.some(({ kind }) => kind !== 'tool')) met.add('text')
    if (after.permissions.length > 0) met.add('a request that waits on')
    if (after.permissions.length < before.permissions.length) met.add('a request that nobody waits for')
  }
  const states = ['pending any', 'awaiting any', 'running once', 'running repeatable', 'running none', 'running child']
  const steps = ['durable', 'cut off'].flatMap((step) => states.map((state) => `${step} ${state}`))
  const requests = ['a request that waits on', 'a request that nobody waits for']
  expect([...met]).toEqual(expect.arrayContaining([...steps, 'durable unknown any', 'text', ...requests]))
  expect(all.some(({ left }) => left.superseded.length > 1)).toBe(true)
  expect(walked.flat().some(({ outcome }) => activityOf(outcome.after.session) === 'AWAITING_RECONCILIATION')).toBe(true)
  const ended = new Set(walked.flatMap(unknownEnds).map(({ by }) => by))
  expect(ended).toEqual(new Set(['reconcile', 'conclude']))
})

test('R14: a resumption takes the next epoch, which is the session’s, and goes on to another owner and attempt', () => {
  holds((walk) => {
    for (const { outcome, met, left } of resumptionsIn(walk)) {
      const { before, after } = outcome
      expect(left).toMatchObject({ epoch: met.epoch + 1, attempts: met.attempts + 1, steps: met.steps, usage: met.usage })
      expect([after.session.epoch, before.session.epoch]).toEqual([left.epoch, met.epoch])
      expect(left.state.kind).toBe('resolving')
      expect(after.entries).toEqual(before.entries)
    }
    const resumed = resumptionsIn(walk).map(({ met: { runId } }) => runId)
    for (const { runId, attempts } of rowsAfter(walk).runs.values()) {
      expect(attempts).toBe(1 + resumed.filter((it) => it === runId).length)
    }
  })
})

test('R15: a resumption leaves no text open, and what is complete by it is INTERRUPTED and keeps what it gained', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { command, outcome } of walk) {
      const { before, after } = outcome
      const streams = before.open.filter(({ kind }) => kind !== 'tool')
      const isResumption = command.type === 'resume' && outcome.answer === 'accepted'
      const gained = isResumption
        ? streams.map(({ partIndex }) =>
            rows.chunkText({ messageIndex: before.run?.assistantMessageIndex ?? -1, partIndex }),
          )
        : []
      outcome.writes.forEach((write) => rows.apply(write))
      const closed = partRows(outcome).filter(({ body }) => isStreaming(body) && isResumption)
      expect(closed.map(({ status, body }) => [status, isStreaming(body) && body.text])).toEqual(
        gained.map((text) => ['INTERRUPTED', text]),
      )
      expect(isResumption && after.open.some(({ kind }) => kind !== 'tool')).toBe(false)
      expect(partRows(outcome).some(({ status }) => status === 'INTERRUPTED')).toBe(isResumption && streams.length > 0)
    }
  })
})

test('R15: superseded are exactly the parts of steps that were cut off: disjoint, ascending, none of a durable step', () => {
  holds((walk) => {
    const durable = new Set<string>()
    const superseded = new Set<string>()
    for (const { command, outcome } of walk) {
      const { run } = outcome.before
      if (!run || outcome.answer !== 'accepted') continue
      if (command.type !== 'endStep' && command.type !== 'resume') continue
      const parts = command.type === 'endStep' ? durable : superseded
      for (let index = 0; index < run.partCount; index++) {
        const name = `${run.runId} ${index}`
        if (!durable.has(name) && !superseded.has(name)) parts.add(name)
      }
    }
    const { runs, messages } = rowsAfter(walk)
    const ranges = [...runs.values()].flatMap((run) => {
      const bounds = run.superseded.flatMap(({ from, to }) => [from, to - 1])
      expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
      expect(messages.get(run.assistantMessageIndex)?.superseded).toEqual(run.superseded)
      expect(messages.get(run.userMessageIndex)?.superseded).toEqual([])
      return run.superseded.flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_, i) => `${run.runId} ${from + i}`),
      )
    })
    expect(ranges.length).toBe(new Set(ranges).size)
    expect(new Set(ranges)).toEqual(superseded)
  })
})

test('R16: a session has an owner exactly while a run is live, and it is the run’s', () => {
  holds((walk) => {
    for (const { command, outcome } of walk) {
      const { run, session } = outcome.after
      expect(session.owner).toBe(run && isLive(run) ? run.owner : null)
      const isNew = (command.type === 'admit' || command.type === 'resume') && outcome.answer === 'accepted'
      const owner = isNew ? command.owner : outcome.before.run?.owner
      expect(run?.owner).toBe(run ? owner : undefined)
    }
  })
})

test('R17: a resumption cancels the requests that no call of a durable step waits for, and the others wait on', () => {
  holds((walk) => {
    for (const { outcome, met } of resumptionsIn(walk)) {
      const { before, after } = outcome
      const awaited = new Set(
        callsOf(before).flatMap(({ state, partIndex }) =>
          state.kind === 'awaiting' && partIndex < met.stepFrom ? [state.permissionId] : [],
        ),
      )
      const waiting = before.permissions.filter(({ permissionId }) => awaited.has(permissionId))
      const cancelled = before.permissions.filter(({ permissionId }) => !awaited.has(permissionId))
      expect(after.permissions).toEqual(waiting)
      const rows = outcome.writes.flatMap((write) => (write.table === 'permission' ? [write.row] : []))
      expect(rows.map(({ permissionId, state }) => [permissionId, state.kind === 'resolved' && state.decision])).toEqual(
        cancelled.map(({ permissionId }) => [permissionId, 'CANCELLED']),
      )
    }
  })
})

const whenLost = { once: 'unknown', repeatable: 'pending', none: 'pending', child: 'running' } as const

test('T12: calls of a step that was cut off end; of the others the begun are reset or unknown, as they may be repeated, or wait on for their children', () => {
  holds((walk) => {
    for (const { outcome, met } of resumptionsIn(walk)) {
      const { before, after } = outcome
      for (const { partIndex, state, call } of callsOf(before)) {
        const begun = whenLost[call.effect]
        const kept = state.kind === 'running' ? begun : state.kind
        expect(stateOf(after, partIndex)).toBe(partIndex < met.stepFrom ? kept : undefined)
      }
      expect(callsOf(after).length).toBe(callsOf(before).filter(({ partIndex }) => partIndex < met.stepFrom).length)
    }
  })
})

test('T12: what a resumption lists as uncertain is what it made unknown, or ended though it may have happened', () => {
  holds((walk) => {
    for (const { outcome, met } of resumptionsIn(walk)) {
      const expected = callsOf(outcome.before).filter(({ partIndex, state, call }) => {
        if (partIndex < met.stepFrom) return state.kind === 'running' && call.effect === 'once'
        return state.kind === 'running' && (call.effect === 'once' || call.effect === 'repeatable')
      })
      const listed = bodiesOf([outcome]).flatMap((body) => (body.type === 'tool.uncertain' ? [body.toolCallId] : []))
      expect(listed).toEqual(expected.map(({ call }) => call.toolCallId))
    }
  })
})

/** The calls that were unknown and have ended, each with what ended it. */
const unknownEnds = (walk: Walk) =>
  walk.flatMap(({ command, outcome }) =>
    callsOf(outcome.before)
      .filter(({ state, partIndex }) => state.kind === 'unknown' && stateOf(outcome.after, partIndex) === undefined)
      .map((call) => ({ call, by: command.type, outcome })),
  )

test('T13: an unknown call ends by its reconciliation or with its run, with one result, and is not listed again', () => {
  holds((walk) => {
    for (const { call, by, outcome } of unknownEnds(walk)) {
      expect(['reconcile', 'conclude']).toContain(by)
      const { toolCallId } = call.call
      const results = outcome.events.flatMap((event) =>
        event.type === 'logged' && event.body.kind === 'result' && event.body.toolCallId === toolCallId
          ? [event.body.result.status]
          : [],
      )
      expect(results.length).toBe(1)
      expect(results.includes('UNCERTAIN')).toBe(by === 'conclude')
      const bodies = bodiesOf([outcome])
      expect(bodies.some((body) => body.type === 'tool.uncertain' && body.toolCallId === toolCallId)).toBe(false)
    }
  })
})

test('T13: an unknown call stays so until then', () => {
  holds((walk) => {
    const left = outcomesOf(walk).flatMap(({ before, after }) =>
      callsOf(before)
        .filter(({ state }) => state.kind === 'unknown')
        .map(({ partIndex }) => stateOf(after, partIndex) ?? 'ended'),
    )
    expect(left.filter((kind) => kind !== 'unknown' && kind !== 'ended')).toEqual([])
  })
})

test('T14: a session awaits reconciliation exactly while calls are open, all of them unknown, and nobody is asked', () => {
  holds((walk) => {
    for (const { after } of outcomesOf(walk)) {
      const calls = callsOf(after)
      const isStuck = calls.length > 0 && calls.every(({ state }) => state.kind === 'unknown')
      const isAwaiting = isStuck && after.permissions.length === 0
      expect(activityOf(after.session) === 'AWAITING_RECONCILIATION').toBe(isAwaiting)
    }
  })
})
