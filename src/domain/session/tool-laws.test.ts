import { expect, test } from 'vitest'
import type { Outcome } from '../../../test/support/content.ts'
import { ContentRows } from '../../../test/support/content-rows.ts'
import type { Walk } from '../../../test/support/content-walks.ts'
import { accepted, bodiesOf, holds, outcomesOf, rowsAfter, upTo } from '../../../test/support/walk-laws.ts'
import type { LogBody, LogEntry } from '../log/entry.ts'
import type { OpenTool, Part, ToolPartBody } from '../message/message.ts'
import { abortOf } from '../run/run.ts'
import { begunAtOf } from '../tool/call.ts'
import type { CallEvent } from '../tool/machine.ts'
import type { Content } from './content.ts'
import { activityOf } from './session.ts'

/** A tool part, and the run that it is of. */
interface Call {
  readonly part: Part
  readonly body: ToolPartBody
  readonly runId: string
}

function callsIn({ parts, runs }: ContentRows): readonly Call[] {
  const runIds = new Map([...runs.values()].map(({ assistantMessageIndex, runId }) => [assistantMessageIndex, runId]))
  return [...parts.values()].flatMap((part) => {
    const { body } = part
    return body.kind === 'tool' ? [{ part, body, runId: runIds.get(part.messageIndex) ?? 'none' }] : []
  })
}

type EntryOf<Kind> = LogEntry & { readonly body: Extract<LogBody, { readonly kind: Kind }> }

const logged = <Kind extends LogBody['kind']>({ log }: ContentRows, kind: Kind) =>
  [...log.values()].filter((entry): entry is EntryOf<Kind> => entry.body.kind === kind)

/** Ids of calls are unique in their runs. */
const nameOf = (runId: string, toolCallId: string): string => `${runId} ${toolCallId}`
const namesOf = (calls: readonly Call[]): readonly string[] =>
  calls.map(({ body, runId }) => nameOf(runId, body.toolCallId))
const sorted = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => a.localeCompare(b))

const callIn = ({ open }: Content, index: number): OpenTool | undefined =>
  open.flatMap((part) => (part.kind === 'tool' && part.partIndex === index ? [part] : []))[0]

const has = ({ events }: Outcome, type: CallEvent['type']): boolean =>
  events.some((event) => event.type === 'callChanged' && event.event.type === type)

test('T2: a call begins only when it does not wait, never in a run that was asked to stop, and once until it is reset', () => {
  holds((walk) => {
    const begun = new Set<string>()
    for (const { command, outcome } of walk) {
      const { before, events } = outcome
      for (const event of events) {
        if (event.type !== 'callChanged' || event.event.type !== 'reset') continue
        begun.delete(nameOf(before.run?.runId ?? 'none', event.part.call.toolCallId))
      }
      if (!has(outcome, 'begun')) continue
      const call = command.type === 'beginTool' ? callIn(before, command.partIndex) : undefined
      const name = nameOf(before.run?.runId ?? 'none', call?.call.toolCallId ?? 'none')
      expect([call?.state.kind, begun.has(name)]).toEqual(['pending', false])
      expect(before.run && abortOf(before.run)).toBeNull()
      begun.add(name)
    }
    expect(outcomesOf(walk).filter((outcome) => has(outcome, 'begun')).length).toBe(accepted(walk, 'beginTool').length)
  })
})

test('T3: exactly the calls that began have an intent in the log, one for each time, in the same change', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const outcome of outcomesOf(walk)) {
      const before = logged(rows, 'intent').length
      outcome.writes.forEach((write) => rows.apply(write))
      const intents = logged(rows, 'intent').map(({ runId, body }) => nameOf(runId, body.toolCallId))
      expect(intents.length - before).toBe(has(outcome, 'begun') ? 1 : 0)
      const begun = namesOf(callsIn(rows).filter(({ body }) => body.begunAt !== null))
      expect(new Set(intents)).toEqual(new Set(begun))
    }
  })
})

test('T4: a call has exactly one result in the log, from the change that ends it, at the latest with its run', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { writes, after } of outcomesOf(walk)) {
      writes.forEach((write) => rows.apply(write))
      const results = logged(rows, 'result')
      const ended = callsIn(rows).filter(({ part }) => part.finishedAt !== null)
      const open = callsIn(rows).filter(({ part }) => part.finishedAt === null)
      expect(sorted(results.map(({ runId, body }) => nameOf(runId, body.toolCallId)))).toEqual(sorted(namesOf(ended)))
      expect(open.every(({ runId }) => runId === after.run?.runId)).toBe(true)
    }
    const told = new Map(logged(rows, 'result').map(({ runId, body }) => [nameOf(runId, body.toolCallId), body.result]))
    for (const { part, body, runId } of callsIn(rows)) {
      const result = told.get(nameOf(runId, body.toolCallId))
      if (!result) continue
      const output = result.status === 'COMPLETED' ? result.output : null
      const error = result.status === 'COMPLETED' ? null : result.error
      expect([part.status, body.output, body.error]).toEqual([result.status, output, error])
    }
  })
})

test('T5: what is listed as uncertain, once, is every call that may have had effects and has, or had, no known end', () => {
  holds((walk) => {
    const rows = new ContentRows()
    const uncertain = new Set<string>()
    for (const { writes } of outcomesOf(walk)) {
      writes.forEach((write) => rows.apply(write))
      for (const { part, body, runId } of callsIn(rows)) {
        if (part.status !== 'UNCERTAIN') continue
        expect([body.begunAt === null, ['none', 'child'].includes(body.effect)]).toEqual([false, false])
        uncertain.add(nameOf(runId, body.toolCallId))
      }
    }
    const listed = [...rows.executions.values()].map(({ runId, toolCallId }) => nameOf(runId, toolCallId))
    const told = bodiesOf(outcomesOf(walk)).flatMap((body) =>
      body.type === 'tool.uncertain' ? [nameOf(body.runId, body.toolCallId)] : [],
    )
    expect(sorted(listed)).toEqual(sorted([...uncertain]))
    expect(told).toEqual(listed)
  })
})

test('T5: calls that are open when their run ends are uncertain, unless they have no effects, have a child, or never began', () => {
  holds((walk) => {
    for (const { outcome } of accepted(walk, 'conclude')) {
      const calls = outcome.before.open.filter((part): part is OpenTool => part.kind === 'tool')
      const statuses = outcome.writes.flatMap((write) =>
        write.table === 'part' && write.row.body.kind === 'tool' ? [write.row.status] : [],
      )
      const expected = calls.map(({ state, call }) =>
        begunAtOf(state) !== null && !['none', 'child'].includes(call.effect) ? 'UNCERTAIN' : 'CANCELLED',
      )
      expect(statuses).toEqual(expected)
    }
  })
})

/** The reconciliations that a walk asks for, in order. */
const reconciliations = (walk: Walk) =>
  walk.flatMap(({ command, outcome }) => (command.type === 'reconcile' ? [{ command, outcome }] : []))

test('T6: an execution is reconciled once; a repetition is refused and changes nothing', () => {
  holds((walk) => {
    const reconciled = new Set<number>()
    for (const { command, outcome } of reconciliations(walk)) {
      const { ordinal } = command.execution
      expect(outcome.answer).toBe(reconciled.has(ordinal) ? 'RECONCILIATION_STATE' : 'accepted')
      expect(outcome.after === outcome.before).toBe(reconciled.has(ordinal))
      reconciled.add(ordinal)
    }
    const { executions } = rowsAfter(walk)
    for (const { ordinal, state } of executions.values()) {
      expect(state.kind === 'reconciled').toBe(reconciled.has(ordinal))
    }
  })
})

test('T7: what was found out is announced, and in the log: as the result if the call is open, or else by itself', () => {
  holds((walk) => {
    const told: string[][] = []
    const entries: string[][] = []
    for (const { command, outcome } of reconciliations(walk)) {
      if (outcome.answer !== 'accepted') continue
      const { execution, found } = command
      const isOpen = outcome.before.run?.runId === execution.runId && callIn(outcome.before, execution.partIndex)
      const about = [nameOf(execution.runId, execution.toolCallId), found.outcome]
      told.push(about)
      const bodies = outcome.events.flatMap((event) => (event.type === 'logged' ? [event.body.kind] : []))
      expect(bodies).toEqual([isOpen ? 'result' : 'reconciled'])
      if (!isOpen) entries.push(about)
    }
    const announced = bodiesOf(outcomesOf(walk)).flatMap((body) =>
      body.type === 'tool.reconciled' ? [[nameOf(body.runId, body.toolCallId), body.outcome]] : [],
    )
    const inLog = logged(rowsAfter(walk), 'reconciled')
    expect(announced).toEqual(told)
    expect(inLog.map(({ runId, body }) => [nameOf(runId, body.toolCallId), body.found.outcome])).toEqual(entries)
  })
})

test('T6: the uncertain executions of a session are numbered from 0 without gaps', () => {
  holds((walk) => {
    const { executions } = rowsAfter(walk)
    expect([...executions.keys()]).toEqual(upTo(walk.at(-1)?.outcome.after.session.next.execution ?? 0))
    expect(new Set([...executions.values()].map(({ intentId }) => intentId)).size).toBe(executions.size)
  })
})

test('T8: a session calls tools exactly while calls are open that are not unknown and do not wait for a child, and nobody is asked', () => {
  holds((walk) => {
    for (const { after } of outcomesOf(walk)) {
      const isCalling = after.open.some((part) => part.kind === 'tool' && part.state.kind !== 'unknown' && !part.child)
      expect(activityOf(after.session) === 'CALLING_TOOL').toBe(isCalling && after.permissions.length === 0)
    }
  })
})

test('G54: a session delegates exactly while calls wait for children, no other one is at work, and nobody is asked', () => {
  holds((walk) => {
    for (const { after } of outcomesOf(walk)) {
      const calls = after.open.filter((part) => part.kind === 'tool')
      const isWaiting = calls.some(({ child }) => child) && calls.every(({ child, state }) => child || state.kind === 'unknown')
      expect(activityOf(after.session) === 'DELEGATING').toBe(isWaiting && after.permissions.length === 0)
    }
  })
})

test('G50: a call has a child only from its beginning on, the same until it ends, and is never listed as uncertain', () => {
  holds((walk) => {
    for (const { before, after, writes } of outcomesOf(walk)) {
      for (const part of after.open) {
        if (part.kind !== 'tool' || !part.child) continue
        expect([part.call.effect, part.state.kind]).toEqual(['child', 'running'])
        const earlier = before.open.find(({ partIndex }) => partIndex === part.partIndex)
        expect(part.child).toEqual((earlier?.kind === 'tool' && earlier.child) || part.child)
      }
      const children = writes.flatMap((write) => (write.table === 'part' && write.row.body.kind === 'tool' && write.row.body.child ? [write.row.body] : []))
      for (const { effect, begunAt } of children) expect([effect, begunAt === null]).toEqual(['child', false])
    }
  })
})

test('T9, M1: of each part are told its creation, then changes if it is a call, then once that it is complete', () => {
  holds((walk) => {
    const rows = rowsAfter(walk)
    const told = new Map<string, string>()
    for (const body of bodiesOf(outcomesOf(walk))) {
      if (!('partId' in body)) continue
      told.set(body.partId, `${told.get(body.partId) ?? ''}${body.type.slice('part.'.length, 'part.'.length + 1)}`)
    }
    for (const { partId, body, finishedAt, partIndex, messageIndex } of rows.parts.values()) {
      const isOwn = [...rows.runs.values()].some(({ assistantMessageIndex }) => assistantMessageIndex === messageIndex)
      if (!isOwn) continue
      const changes = body.kind === 'tool' ? 'u*' : ''
      const history = new RegExp(`^c${changes}${finishedAt === null ? '' : 'c'}$`, 'u')
      expect(told.get(partId), `part ${partIndex}`).toMatch(history)
    }
  })
})
