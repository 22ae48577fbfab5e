import { promptMachine, type PromptEvent } from '../prompt/machine.ts'
import type { Entry } from '../prompt/entry.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { LogBody } from '../log/entry.ts'
import type { Message, OpenPart, Part, PartStatus } from '../message/message.ts'
import { runMachine, type RunEvent } from '../run/machine.ts'
import type { Run } from '../run/run.ts'
import { addUsage } from '../run/usage.ts'
import { workMachine, type WorkEvent } from './machine.ts'
import type { Counters, Session } from './session.ts'

/** What decisions about a session's content need to know of it. */
export interface Content {
  readonly session: Session
  /** The entries that have not finished, in the order in which they run. */
  readonly entries: readonly Entry[]
  /** The run that has not finished. */
  readonly run: Run | null
  /** The parts of that run that still grow. */
  readonly open: readonly OpenPart[]
}

export type ContentEvent =
  | { readonly type: 'entryQueued'; readonly entry: Entry; readonly prompt: Prompt }
  | { readonly type: 'entryChanged'; readonly entry: Entry; readonly event: PromptEvent }
  | { readonly type: 'workChanged'; readonly event: WorkEvent }
  | { readonly type: 'runAdmitted'; readonly run: Run }
  | { readonly type: 'runChanged'; readonly event: RunEvent; readonly at: number }
  | { readonly type: 'messageCreated'; readonly message: Message; readonly parts: readonly Part[] }
  | { readonly type: 'messageUpdated'; readonly message: 'user' | 'assistant'; readonly at: number }
  | { readonly type: 'partOpened'; readonly part: OpenPart }
  /** `text` follows the `offset` UTF-16 units that are durable already. */
  | { readonly type: 'partGrown'; readonly part: OpenPart; readonly offset: number; readonly text: string }
  | {
      readonly type: 'partClosed'
      readonly part: OpenPart
      readonly text: string
      readonly status: PartStatus
      readonly at: number
    }
  | { readonly type: 'logged'; readonly run: Run; readonly body: LogBody; readonly at: number }

/** Total: an event that does not fit leaves the content as it is. */
export function evolve(content: Content, event: ContentEvent): Content {
  const { session, entries, run, open } = content
  switch (event.type) {
    case 'entryQueued':
      return { ...content, session: counted(session, 'entry'), entries: inOrder([...entries, event.entry]) }
    case 'entryChanged':
      return { ...content, entries: outstanding(entries.map((entry) => changed(entry, event))) }
    case 'workChanged':
      return { ...content, session: worked(session, event.event) }
    case 'runAdmitted':
      return { ...content, session: { ...counted(session, 'run'), epoch: event.run.epoch }, run: event.run }
    case 'runChanged':
      return run === null ? content : ran({ ...content, run }, event.event)
    case 'messageCreated':
      return { ...content, session: counted(session, 'message') }
    case 'messageUpdated':
    case 'partGrown':
      return content
    case 'partOpened':
      return { ...content, run: run && { ...run, partCount: run.partCount + 1 }, open: [...open, event.part] }
    case 'partClosed':
      return { ...content, open: open.filter(({ partIndex }) => partIndex !== event.part.partIndex) }
    case 'logged':
      return { ...content, session: counted(session, 'log') }
  }
}

export const workChanged = (events: readonly WorkEvent[]): readonly ContentEvent[] =>
  events.map((event) => ({ type: 'workChanged', event }))

export const entryChanged = (entry: Entry, events: readonly PromptEvent[]): readonly ContentEvent[] =>
  events.map((event) => ({ type: 'entryChanged', entry, event }))

export const runChanged = (events: readonly RunEvent[], at: number): readonly ContentEvent[] =>
  events.map((event) => ({ type: 'runChanged', event, at }))

const counted = (session: Session, counter: keyof Counters): Session => ({
  ...session,
  next: { ...session.next, [counter]: session.next[counter] + 1 },
})

const inOrder = (entries: readonly Entry[]): readonly Entry[] => entries.toSorted((a, b) => a.rank - b.rank)

const outstanding = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ state }) => state.kind !== 'finished')

const changed = (entry: Entry, { entry: { queueId }, event }: Extract<ContentEvent, { type: 'entryChanged' }>): Entry =>
  entry.queueId === queueId ? { ...entry, state: promptMachine.evolve(entry.state, event) } : entry

/** Turning from thinking to responding is no news for lists that show the newest activity first. */
function worked(session: Session, event: WorkEvent): Session {
  const updatedAt = event.type === 'turnedTo' ? session.updatedAt : Math.max(session.updatedAt, event.at)
  return { ...session, work: workMachine.evolve(session.work, event), updatedAt }
}

function ran(content: Content & { run: Run }, event: RunEvent): Content {
  const run: Run = { ...content.run, state: runMachine.evolve(content.run.state, event) }
  switch (event.type) {
    case 'resolved':
      return { ...content, run: { ...run, model: event.model } }
    case 'stepEnded': {
      const session = { ...content.session, usage: addUsage(content.session.usage, event.usage) }
      return { ...content, session, run: { ...run, steps: run.steps + 1, usage: addUsage(run.usage, event.usage) } }
    }
    case 'finished':
      return { ...content, run: null }
    case 'admitted':
    case 'abortRequested':
    case 'outcomeDecided':
      return { ...content, run }
  }
}
