import { promptMachine, type PromptEvent } from '../prompt/machine.ts'
import type { Entry } from '../prompt/entry.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Child } from '../delegation/delegation.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { LogBody } from '../log/entry.ts'
import type { Message, OpenPart, OpenText, OpenTool, Part, PartStatus } from '../message/message.ts'
import type { Grant } from '../permission/grant.ts'
import { permissionMachine, type PermissionEvent } from '../permission/machine.ts'
import type { Permission } from '../permission/permission.ts'
import { evolveRun } from '../run/evolve-run.ts'
import type { RunEvent } from '../run/machine.ts'
import { isLive, type Run } from '../run/run.ts'
import { addUsage } from '../run/usage.ts'
import type { UncertainExecution } from '../tool/execution.ts'
import type { ReconciledEvent } from '../tool/execution-machine.ts'
import { callMachine, type CallEvent } from '../tool/machine.ts'
import { workMachine, type WorkEvent } from './machine.ts'
import type { Counters, Session } from './session.ts'

/** What decisions about a session's content need to know of it. */
export interface Content {
  readonly session: Session
  /** The entries that have not finished, in the order in which they run. */
  readonly entries: readonly Entry[]
  /** The run that has not finished. */
  readonly run: Run | null
  /** The parts of that run that have not finished. */
  readonly open: readonly OpenPart[]
  /** The requests of that run that wait for an answer. */
  readonly permissions: readonly Permission[]
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
  | { readonly type: 'partGrown'; readonly part: OpenText; readonly offset: number; readonly text: string }
  | {
      readonly type: 'partClosed'
      readonly part: OpenText
      readonly text: string
      readonly status: PartStatus
      readonly at: number
    }
  | { readonly type: 'callChanged'; readonly part: OpenTool; readonly event: CallEvent; readonly at: number }
  | { readonly type: 'childLinked'; readonly part: OpenTool; readonly child: Child; readonly at: number }
  | { readonly type: 'permissionRequested'; readonly permission: Permission }
  | { readonly type: 'permissionResolved'; readonly permission: Permission; readonly event: PermissionEvent }
  | { readonly type: 'granted'; readonly grant: Grant }
  | { readonly type: 'grantRevoked'; readonly grant: Grant; readonly at: number }
  | { readonly type: 'executionListed'; readonly execution: UncertainExecution }
  | { readonly type: 'executionReconciled'; readonly execution: UncertainExecution; readonly event: ReconciledEvent }
  | { readonly type: 'logged'; readonly runId: RunId; readonly body: LogBody; readonly at: number }

/** Total: an event that does not fit leaves the content as it is. */
export function evolve(content: Content, event: ContentEvent): Content {
  const { session, entries, run, open, permissions } = content
  switch (event.type) {
    case 'entryQueued':
      return {
        ...content,
        session: touched(counted(session, 'entry'), event.entry.createdAt),
        entries: inOrder([...entries, event.entry]),
      }
    case 'entryChanged':
      return moved(content, event)
    case 'workChanged':
      return worked(content, event.event)
    case 'runAdmitted':
      return run ? content : admitted(content, event.run)
    case 'runChanged':
      return run ? ran(content, run, event.event) : content
    case 'messageCreated':
      return { ...content, session: counted(session, 'message') }
    case 'messageUpdated':
    case 'partGrown':
    case 'granted':
    case 'grantRevoked':
    case 'executionReconciled':
      return content
    case 'partOpened':
      return run ? { ...content, run: { ...run, partCount: run.partCount + 1 }, open: [...open, event.part] } : content
    case 'partClosed':
      return { ...content, open: open.filter((part) => part.kind === 'tool' || !isPart(part, event.part)) }
    case 'callChanged':
      return { ...content, open: open.flatMap((part) => called(part, event)) }
    case 'childLinked':
      return { ...content, open: open.map((part) => linked(part, event)) }
    case 'permissionRequested': {
      const isPending = event.permission.state.kind === 'pending'
      return {
        ...content,
        session: counted(session, 'permission'),
        permissions: isPending ? [...permissions, event.permission] : permissions,
      }
    }
    case 'permissionResolved':
      return {
        ...content,
        permissions: permissions.filter(({ permissionId }) => permissionId !== event.permission.permissionId),
      }
    case 'executionListed':
      return { ...content, session: counted(session, 'execution') }
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

export const callChanged = (part: OpenTool, events: readonly CallEvent[], at: number): readonly ContentEvent[] =>
  events.map((event) => ({ type: 'callChanged', part, event, at }))

export const permissionResolved = (
  permission: Permission,
  events: readonly PermissionEvent[],
): readonly ContentEvent[] => events.map((event) => ({ type: 'permissionResolved', permission, event }))

/** A call after an event, or the very call when the event does not fit. */
export function calledBy(part: OpenTool, event: CallEvent): OpenTool {
  const state = callMachine.evolve(part.state, event)
  if (state === part.state) return part
  return { ...part, state, permissionId: event.type === 'asked' ? event.permissionId : part.permissionId }
}

export const resolvedBy = (permission: Permission, event: PermissionEvent): Permission => ({
  ...permission,
  state: permissionMachine.evolve(permission.state, event),
})

const isPart = (a: OpenPart, b: OpenPart): boolean => a.partIndex === b.partIndex

type CallChanged = Extract<ContentEvent, { type: 'callChanged' }>

function called(part: OpenPart, { part: meant, event }: CallChanged): readonly OpenPart[] {
  if (part.kind !== 'tool' || !isPart(part, meant)) return [part]
  const after = calledBy(part, event)
  return after.state.kind === 'ended' ? [] : [after]
}

const linked = (part: OpenPart, { part: meant, child }: Extract<ContentEvent, { type: 'childLinked' }>): OpenPart =>
  part.kind === 'tool' && isPart(part, meant) ? { ...part, child } : part

const counted = (session: Session, counter: keyof Counters): Session => ({
  ...session,
  next: { ...session.next, [counter]: session.next[counter] + 1 },
})

const inOrder = (entries: readonly Entry[]): readonly Entry[] => entries.toSorted((a, b) => a.rank - b.rank)

const admitted = (content: Content, run: Run): Content => ({
  ...content,
  session: { ...counted(content.session, 'run'), epoch: run.epoch, owner: run.owner },
  run,
})

function moved(content: Content, { entry, event }: Extract<ContentEvent, { type: 'entryChanged' }>): Content {
  const { session, entries } = content
  const before = entries.find(({ queueId }) => queueId === entry.queueId)
  if (!before) return content
  const after = { ...before, state: promptMachine.evolve(before.state, event) }
  return after.state.kind === 'finished'
    ? { ...content, session: touched(session, event.at), entries: entries.filter((it) => it !== before) }
    : { ...content, entries: entries.map((it) => (it === before ? after : it)) }
}

/** Turning from thinking to responding is no news for lists that show the newest activity first. */
function worked(content: Content, event: WorkEvent): Content {
  const work = workMachine.evolve(content.session.work, event)
  if (work === content.session.work) return content
  const session = { ...content.session, work }
  return { ...content, session: event.type === 'turnedTo' ? session : touched(session, event.at) }
}

const touched = (session: Session, at: number): Session => ({ ...session, updatedAt: Math.max(session.updatedAt, at) })

function ran(content: Content, before: Run, event: RunEvent): Content {
  const run = evolveRun(before, event)
  if (run === before) return content
  const { session } = content
  return {
    ...content,
    session: counting(session, event),
    run: isLive(run) ? run : null,
  }
}

function counting(session: Session, event: RunEvent): Session {
  if (event.type === 'stepEnded') return { ...session, usage: addUsage(session.usage, event.usage) }
  if (event.type === 'resumed') return { ...session, epoch: event.epoch, owner: event.owner }
  return event.type === 'finished' ? { ...session, owner: null } : session
}
