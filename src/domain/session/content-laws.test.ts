import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyContent, type Outcome } from '../../../test/support/content.ts'
import { ContentRows } from '../../../test/support/content-rows.ts'
import { type Walk, walkLimits, walks } from '../../../test/support/content-walks.ts'
import { accepted, bodiesOf, holds, outcomesOf, rowsAfter, upTo } from '../../../test/support/walk-laws.ts'
import type { EventBody } from '../event/event.ts'
import { isStreaming } from '../message/message.ts'
import type { Entry } from '../prompt/entry.ts'
import { errorOf } from '../run/outcome.ts'
import { abortOf, isLive, type Run } from '../run/run.ts'
import { addUsage, noUsage, type Usage } from '../run/usage.ts'
import { begunAtOf, type Effect } from '../tool/call.ts'
import type { ContentCommand } from './commands.ts'
import { decideTogether } from './decide.ts'
import { statusOf } from './session.ts'

/** The changes that end a run, each with the rows of the run and of its entry. */
const ends = (walk: Walk) =>
  accepted(walk, 'conclude').map(({ outcome }) => ({
    outcome,
    run: lastRow(outcome, 'run'),
    entry: lastRow(outcome, 'entry'),
  }))

function lastRow<Table extends 'run' | 'entry'>({ writes }: Outcome, table: Table): Table extends 'run' ? Run : Entry {
  return writes.findLast((write) => write.table === table)?.row as Table extends 'run' ? Run : Entry
}

const isUncertainWhenOpen = (effect: Effect): boolean => effect === 'once' || effect === 'repeatable'
const isWaiting = ({ state }: Entry): boolean => state.kind === 'queued'
const isOfRun = (body: EventBody, runId: Run['runId']): boolean => 'runId' in body && body.runId === runId
const sum = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, noUsage)

const commandTypes: Record<ContentCommand['type'], true> = {
  enqueue: true,
  admit: true,
  cancel: true,
  reject: true,
  abort: true,
  resume: true,
  begin: true,
  resolve: true,
  openPart: true,
  growPart: true,
  closePart: true,
  openTool: true,
  askPermission: true,
  respond: true,
  beginTool: true,
  delegateTool: true,
  endTool: true,
  revokeGrant: true,
  reconcile: true,
  endStep: true,
  count: true,
  conclude: true,
}

const refusals = [
  'enqueue QUEUE_FULL',
  'enqueue SESSION_BUSY',
  'respond PERMISSION_STATE',
  'respond VALIDATION_FAILED',
  'reconcile RECONCILIATION_STATE',
]

test('the walks come across every command that is accepted, every refusal, and ends of runs of all kinds', () => {
  const walked = fc.sample(walks, { numRuns: 300, seed: 1 })
  const met = new Set(walked.flat().map(({ command, outcome }) => `${command.type} ${outcome.answer}`))
  const types = Object.keys(commandTypes).map((type) => `${type} accepted`)
  expect([...met]).toEqual(expect.arrayContaining([...types, ...refusals]))
  const ended = walked.flatMap(ends)
  expect(new Set(ended.map(({ entry }) => entry.state.kind === 'finished' && entry.state.status)).size).toBe(3)
  expect(ended.some(({ outcome }) => outcome.before.open.length > 1)).toBe(true)
  expect(ended.some(({ outcome: { before } }) => before.run && abortOf(before.run))).toBe(true)
  expect(ended.some(({ outcome: { before } }) => before.entries.length > 2)).toBe(true)
  expect(ended.some(({ outcome: { before } }) => before.permissions.length > 1)).toBe(true)
  const uncertain = ended.map(({ outcome }) => bodiesOf([outcome]).filter(({ type }) => type === 'tool.uncertain'))
  expect(uncertain.some(({ length }) => length > 1)).toBe(true)
})

test('Q8: a session is busy exactly as long as an entry waits or runs, and knows its run', () => {
  holds((walk) => {
    for (const { after } of outcomesOf(walk)) {
      const { session, entries, run } = after
      expect(statusOf(session) === 'IDLE').toBe(entries.length === 0)
      expect(session.work.kind === 'running').toBe(run !== null)
      expect(session.work).toMatchObject(run ? { runId: run.runId, run: run.ordinal } : {})
    }
  })
})

test('R2: at most one run of a session is live, and it is the run of the one entry that has started', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { writes, after } of outcomesOf(walk)) {
      writes.forEach((write) => rows.apply(write))
      const live = [...rows.runs.values()].filter(isLive)
      const started = after.entries.filter((entry) => !isWaiting(entry))
      expect(live).toEqual(after.run ? [after.run] : [])
      expect(started.map(({ queueId }) => queueId)).toEqual(live.map(({ queueId }) => queueId))
    }
  })
})

test('R3: a run ends exactly once and its entry with it, in the same change and with the same outcome', () => {
  holds((walk) => {
    const finished = bodiesOf(outcomesOf(walk)).filter(({ type }) => type === 'run.finished')
    expect(finished.map((body) => 'runId' in body && body.runId)).toEqual(ends(walk).map(({ run }) => run.runId))
    expect(new Set(ends(walk).map(({ run }) => run.runId)).size).toBe(ends(walk).length)
    for (const { outcome, run, entry } of ends(walk)) {
      const ended = run.state.kind === 'finished' ? run.state.outcome : undefined
      const error = ended && errorOf(ended)
      expect(entry.queueId).toBe(run.queueId)
      expect(entry.state).toMatchObject({ kind: 'finished', runId: run.runId, status: ended?.status, error })
      expect(bodiesOf([outcome]).at(-1)).toMatchObject({ runId: run.runId, status: ended?.status, error })
    }
  })
})

test('R4: a run that was asked to stop ends for the first reason, cancelled or rejected, whatever is reported', () => {
  holds((walk) => {
    for (const { run } of ends(walk)) {
      const live = outcomesOf(walk).flatMap(({ after }) => (after.run?.runId === run.runId ? [after.run] : []))
      const first = live.map(abortOf).find((request) => request !== null)
      const [status, code] = first?.kind === 'rejected' ? ['FAILED', 'PERMISSION_REJECTED'] : ['CANCELLED', 'ABORTED']
      const error = { code, message: first?.message, source: 'harness' }
      expect(run.state).toMatchObject(first ? { outcome: { status, error } } : {})
    }
  })
})

test('R5: a command of or for another run, or of another epoch, changes nothing', () => {
  holds((walk) => {
    for (const { outcome } of walk.filter(({ isForeign }) => isForeign)) {
      expect(outcome.answer).toBe('unchanged')
      expect(outcome.after).toBe(outcome.before)
    }
  })
})

test('M1: each part is complete exactly once, at the latest with its run', () => {
  holds((walk) => {
    const live = walk.at(-1)?.outcome.after.open.length ?? 0
    const bodies = bodiesOf(outcomesOf(walk))
    const parts = (type: EventBody['type']) =>
      bodies.flatMap((body) => (body.type === type && 'partId' in body ? [body.partId] : []))
    const completed = parts('part.completed')
    expect(new Set(parts('part.created')).size).toBe(parts('part.created').length)
    expect(new Set(completed).size).toBe(completed.length)
    expect(parts('part.created')).toEqual(expect.arrayContaining([...completed]))
    expect(parts('part.created').length).toBe(completed.length + live)
    for (const { before } of outcomesOf(walk)) expect(before.run !== null || before.open.length === 0).toBe(true)
  })
})

test('E22: of a run nothing is announced before its start, and after its end only what a person finds out', () => {
  holds((walk) => {
    const bodies = bodiesOf(outcomesOf(walk))
    for (const { run } of ends(walk)) {
      const own = bodies.filter((body) => isOfRun(body, run.runId)).map(({ type }) => type)
      const types = own.filter((type) => type !== 'tool.reconciled')
      expect(types.slice(0, 2)).toEqual(['prompt.started', 'run.started'])
      expect(types.indexOf('run.finished')).toBe(types.length - 1)
    }
  })
})

test('E22: the end of a run is announced in one order: its requests, parts, messages, its prompt, the run', () => {
  holds((walk) => {
    for (const { outcome } of ends(walk)) {
      const { open, permissions } = outcome.before
      const requests = permissions.map(() => 'permission.resolved')
      const texts = open.flatMap(({ kind }) => (kind === 'tool' ? [] : ['part.completed']))
      const calls = open.flatMap((part) => {
        if (part.kind !== 'tool') return []
        const isListed = part.state.kind === 'unknown'
        const isUncertain = !isListed && begunAtOf(part.state) !== null && isUncertainWhenOpen(part.call.effect)
        return isUncertain ? ['part.completed', 'tool.uncertain'] : ['part.completed']
      })
      const rest = ['message.updated', 'message.updated', 'prompt.finished', 'run.finished']
      expect(bodiesOf([outcome]).map(({ type }) => type)).toEqual([...requests, ...texts, ...calls, ...rest])
    }
  })
})

test('Q9, R7, M5, R11: entries, runs, messages and the log are numbered from 0 without gaps', () => {
  holds((walk) => {
    const { entries, runs, messages, log } = rowsAfter(walk)
    const { next } = walk.at(-1)?.outcome.after.session ?? emptyContent.session
    expect([...entries.keys()]).toEqual(upTo(next.entry))
    expect([...runs.keys()]).toEqual(upTo(next.run))
    expect([...messages.keys()]).toEqual(upTo(next.message))
    expect([...log.keys()]).toEqual(upTo(next.log))
  })
})

test('R7: each admission and each resumption takes the next epoch, and the session has that of the last', () => {
  holds((walk) => {
    for (const { command, outcome } of walk) {
      const { before, after, answer } = outcome
      const isTaking = ['admit', 'resume'].includes(command.type) && answer === 'accepted'
      expect(after.session.epoch).toBe(before.session.epoch + (isTaking ? 1 : 0))
      expect(after.run?.epoch ?? after.session.epoch).toBe(after.session.epoch)
    }
  })
})

test('M5: a run’s user message is followed by its assistant message', () => {
  holds((walk) => {
    const { runs, messages } = rowsAfter(walk)
    const expected = [...runs.values()].flatMap(({ runId }) => [
      [runId, 'USER', `${runId}.0`],
      [runId, 'ASSISTANT', `${runId}.1`],
    ])
    expect([...messages.values()].map(({ runId, role, messageId }) => [runId, role, messageId])).toEqual(expected)
  })
})

test('M3: the parts of a message are numbered from 0 without gaps', () => {
  holds((walk) => {
    const { runs, parts } = rowsAfter(walk)
    for (const { assistantMessageIndex, partCount } of runs.values()) {
      const own = [...parts.values()].filter(({ messageIndex }) => messageIndex === assistantMessageIndex)
      expect(own.map(({ partIndex }) => partIndex)).toEqual(upTo(partCount))
    }
  })
})

test('R11: the log holds of each run its input, a step for each finished model call, and its outcome', () => {
  const own = new Set(['input', 'step', 'outcome'])
  holds((walk) => {
    const { runs, log } = rowsAfter(walk)
    for (const run of runs.values()) {
      const kinds = [...log.values()].filter(({ runId }) => runId === run.runId).map(({ body }) => body.kind)
      const steps = upTo(run.steps).map(() => 'step')
      expect(kinds.filter((kind) => own.has(kind))).toEqual(['input', ...steps, ...(isLive(run) ? [] : ['outcome'])])
      const last = kinds.findLast((kind) => kind !== 'reconciled')
      expect(last === 'outcome').toBe(!isLive(run))
    }
  })
})

test('Q2: a session never holds more unfinished prompts, or bytes of them, than it may, and refuses no earlier', () => {
  const { maxOutstandingPromptsPerSession: prompts, maxOutstandingPromptBytesPerSession: bytes } = walkLimits
  holds((walk) => {
    const held = (entries: readonly Entry[]) => entries.reduce((all, entry) => all + entry.bytes, 0)
    for (const { command, outcome } of walk) {
      const { before, after, answer } = outcome
      expect(after.entries.length <= prompts && held(after.entries) <= bytes).toBe(true)
      const asked = command.type === 'enqueue' ? command.bytes : Number.NEGATIVE_INFINITY
      const fits = before.entries.length < prompts && held(before.entries) + asked <= bytes
      expect(answer === 'QUEUE_FULL').toBe(command.type === 'enqueue' && !fits)
    }
  })
})

test('Q1, Q15: what runs next is the newest prompt that interrupts, or else the oldest one, and no other', () => {
  holds((walk) => {
    for (const { command, outcome } of walk) {
      const waiting = outcome.before.entries.filter(isWaiting).toSorted((a, b) => a.ordinal - b.ordinal)
      const next = waiting.findLast(({ whenBusy }) => whenBusy === 'INTERRUPT') ?? waiting[0]
      const isNext = command.type === 'admit' && command.queueId === next?.queueId && outcome.before.run === null
      expect(command.type === 'admit' && outcome.answer === 'accepted').toBe(isNext)
      expect(outcome.before.entries.find(isWaiting)).toEqual(next)
    }
  })
})

test('R9: the usage of a session is that of its runs, and so is what its ancestors gain', () => {
  holds((walk) => {
    const runs = [...rowsAfter(walk).runs.values()]
    const gained = outcomesOf(walk).flatMap(({ rollUps }) => rollUps)
    expect(walk.at(-1)?.outcome.after.session.usage).toEqual(sum(runs.map(({ usage }) => usage)))
    expect(sum(gained.map(({ usage }) => usage))).toEqual(sum(runs.map(({ usage }) => usage)))
    expect(runs.reduce((all, { steps }) => all + steps, 0)).toBe(accepted(walk, 'endStep').length)
  })
})

test('R12: what is loaded from the rows that a change writes is what the change decided', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { writes, after } of outcomesOf(walk)) {
      writes.forEach((write) => rows.apply(write))
      expect(rows.contentOf(after.session)).toEqual(after)
    }
  })
})

test('M2: what a part gained is kept: in chunks while it grows, in its row when it is complete', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { writes, after, before } of outcomesOf(walk)) {
      const streams = before.open.filter(({ kind }) => kind !== 'tool')
      const durable = streams.map((part) => ({ ...part, text: rows.chunkText(addressIn(before.run, part)) }))
      writes.forEach((write) => rows.apply(write))
      for (const { partIndex, text } of durable) {
        const address = addressIn(before.run, { partIndex })
        const { status, body } = rows.parts.get(`${address.messageIndex}/${partIndex}`) ?? {}
        const kept = status === 'RUNNING' ? rows.chunkText(address) : body && isStreaming(body) && body.text
        expect(kept).toSatisfy((it: unknown) => typeof it === 'string' && it.startsWith(text))
      }
      const [open, chunked] = [after.open.length, [...rows.chunks.values()]]
      expect(open > 0 || chunked.length === 0).toBe(true)
    }
  })
})

const addressIn = (run: Run | null, { partIndex }: { readonly partIndex: number }) => ({
  messageIndex: run?.assistantMessageIndex ?? -1,
  partIndex,
})

test('Q10: a session’s activity is news at the boundaries of prompts and runs, and only there', () => {
  const boundaries = new Set(['prompt.queued', 'prompt.finished', 'run.started', 'run.finished'])
  holds((walk) => {
    for (const outcome of outcomesOf(walk)) {
      const isBoundary = bodiesOf([outcome]).some(({ type }) => boundaries.has(type))
      expect(outcome.after.session.updatedAt > outcome.before.session.updatedAt).toBe(isBoundary)
    }
  })
})

test('Q16: commands that are asked for together do what they do one after another, or are refused together', () => {
  holds((walk) => {
    const [first, ...rest] = walk.map(({ command }) => command)
    if (!first) return
    const together = decideTogether(emptyContent, [first, ...rest])
    const refusal = outcomesOf(walk).find(({ decision }) => decision.kind === 'refused')?.decision
    const events = outcomesOf(walk).flatMap((outcome) => outcome.events)
    const last = walk.at(-1)?.outcome.decision
    expect(together).toEqual(refusal ?? (events.length > 0 ? { kind: 'accepted', events } : last))
  })
})
