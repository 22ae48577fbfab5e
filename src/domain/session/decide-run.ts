import { accepted, type Decision, decide, eventsOf, fold, unchanged } from '../../kernel/decider.ts'
import { errorOf, type RunOutcome } from '../run/outcome.ts'
import { runMachine, type RunEvent } from '../run/machine.ts'
import { cutOff } from '../run/evolve-run.ts'
import type { Run } from '../run/run.ts'
import type { OpenText } from '../message/message.ts'
import { promptMachine } from '../prompt/machine.ts'
import type { Begin, ClosePart, Conclude, Count, EndStep, GrowPart, OpenPartCommand, Resolve, Resume, RunRef } from './commands.ts'
import { type Content, type ContentEvent, entryChanged, runChanged, workChanged } from './content.ts'
import { current, stale } from './current.ts'
import { permissionsCancelled, unasked } from './decide-permission.ts'
import { callsClosed, callsLost } from './decide-tool.ts'
import type { ContentDecision } from './decision.ts'
import { workMachine } from './machine.ts'
import { turned } from './turned.ts'

export function begin(content: Content, { run: ref, at }: Begin): ContentDecision {
  const run = current(content, ref)
  const entry = run && content.entries.find(({ queueId }) => queueId === run.queueId)
  if (!entry) return stale
  return mapped(decide(promptMachine, entry.state, { type: 'run', at }), (events) => entryChanged(entry, events))
}

/** Goes on with a run whose process is gone. What its last step had begun to say is said again. */
export function resume(content: Content, { run: ref, owner, texts, at }: Resume): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  const epoch = content.session.epoch + 1
  const resumed = eventsOf(decide(runMachine, run.state, { type: 'resume', epoch, owner }))
  if (resumed.length === 0) return unchanged('the run cannot be resumed')
  const closed = content.open
    .filter((part) => part.kind !== 'tool')
    .map((part) => {
      const text = texts.get(part.partIndex) ?? ''
      return { type: 'partClosed', part, text, status: 'INTERRUPTED', at } as const
    })
  const shown: readonly ContentEvent[] =
    cutOff(run).length > 0 ? [{ type: 'messageUpdated', message: 'assistant', at }] : []
  const events = [...unasked(content, run, at), ...closed, ...callsLost(content, run, at), ...runChanged(resumed, at), ...shown]
  return accepted(...turned(content, events, at))
}

export function resolve(content: Content, { run: ref, model, at }: Resolve): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  return mapped(decide(runMachine, run.state, { type: 'resolve', model }), (events) => runChanged(events, at))
}

function mapped<E>(decision: Decision<E, never>, map: (events: readonly E[]) => readonly ContentEvent[]): ContentDecision {
  return decision.kind === 'accepted' ? { kind: 'accepted', events: map(decision.events) } : decision
}

export function openPart(content: Content, { run: ref, partIndex, kind, at }: OpenPartCommand): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  if (run.state.kind !== 'generating') return unchanged('the run does not generate')
  if (partIndex !== run.partCount) return unchanged('that is not the next part')
  return accepted(...turned(content, [{ type: 'partOpened', part: { partIndex, kind, startedAt: at } }], at))
}

export function growPart(content: Content, { run: ref, partIndex, offset, text }: GrowPart): ContentDecision {
  const part = openPartOf(content, ref, partIndex)
  return part ? accepted({ type: 'partGrown', part, offset, text }) : stale
}

export function closePart(content: Content, { run: ref, partIndex, text, at }: ClosePart): ContentDecision {
  const part = openPartOf(content, ref, partIndex)
  return part ? accepted({ type: 'partClosed', part, text, status: 'COMPLETED', at }) : stale
}

function openPartOf(content: Content, ref: RunRef, index: number): OpenText | undefined {
  const part = current(content, ref) && content.open.find(({ partIndex }) => partIndex === index)
  return part?.kind === 'tool' ? undefined : part
}

export function endStep(content: Content, { run: ref, output, calls, usage, at }: EndStep): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  const body = { kind: 'step', output, ...(calls && { calls }) } as const
  const logged: ContentEvent = { type: 'logged', runId: run.runId, at, body }
  return mapped(decide(runMachine, run.state, { type: 'endStep', usage }), (events) => [
    ...runChanged(events, at),
    logged,
  ])
}

/** Remembers how long the run has worked: as its row, and nothing else. */
export function count(content: Content, { run: ref, workedMs, at }: Count): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  if (workedMs <= run.workedMs) return unchanged('that is known')
  return mapped(decide(runMachine, run.state, { type: 'count', workedMs }), (events) => runChanged(events, at))
}

/** Decides the outcome and ends the run: parts, messages, log, entry and session, in one change. */
export function conclude(content: Content, { run: ref, outcome: proposed, texts, at }: Conclude): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  const events = ended(run, proposed, at)
  const last = events.find((event) => event.type === 'finished')
  if (!last) return unchanged('the run has ended')
  const { outcome, log } = last
  const { status } = outcome
  return accepted<ContentEvent>(
    ...permissionsCancelled(content.permissions, at),
    ...content.open
      .filter((part) => part.kind !== 'tool')
      .map((part) => ({ type: 'partClosed', part, text: texts.get(part.partIndex) ?? '', status, at }) as const),
    ...callsClosed(content, run, at),
    { type: 'logged', runId: run.runId, at, body: { kind: 'outcome', outcome: log, status, error: errorOf(outcome) } },
    { type: 'messageUpdated', message: 'user', at },
    { type: 'messageUpdated', message: 'assistant', at },
    ...settled(content, run, { outcome, at }),
    ...runChanged(events, at),
  )
}

/** Takes the run to `finished`, through `finalizing` unless its outcome was decided before. */
function ended({ state }: Run, outcome: RunOutcome, at: number): readonly RunEvent[] {
  const decided = eventsOf(decide(runMachine, state, { type: 'conclude', outcome }))
  const finalizing = fold(runMachine.evolve, state, decided)
  return [...decided, ...eventsOf(decide(runMachine, finalizing, { type: 'finish', at }))]
}

/** The entry of the run finishes, and the session turns to the rest of its queue. */
function settled(content: Content, run: Run, { outcome, at }: { outcome: RunOutcome; at: number }): ContentEvent[] {
  const { entries, session } = content
  const left = entries.filter(({ queueId }) => queueId !== run.queueId).length
  return [
    ...entries
      .filter(({ queueId }) => queueId === run.queueId)
      .flatMap((entry) => entryChanged(entry, eventsOf(decide(promptMachine, entry.state, { type: 'settle', outcome, at })))),
    ...workChanged(eventsOf(decide(workMachine, session.work, { type: 'end', runId: run.runId, left, at }))),
  ]
}
