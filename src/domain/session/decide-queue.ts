import { accepted, decide, eventsOf, refused, unchanged } from '../../kernel/decider.ts'
import { messageIdOf, partIdOf } from '../../kernel/ids.ts'
import { invalid, type RefusalOf } from '../../kernel/refusal.ts'
import type { Message, Part, PartBody } from '../message/message.ts'
import type { Entry } from '../prompt/entry.ts'
import { promptMachine } from '../prompt/machine.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { RunOutcome } from '../run/outcome.ts'
import { runMachine } from '../run/machine.ts'
import type { AbortRequest, Run } from '../run/run.ts'
import { noUsage } from '../run/usage.ts'
import type { Abort, Admit, Cancel, Enqueue, Reject } from './commands.ts'
import { type Content, type ContentEvent, entryChanged, workChanged } from './content.ts'
import { abortEvents } from './decide-permission.ts'
import type { ContentDecision } from './decision.ts'
import { workMachine } from './machine.ts'

/** Puts a prompt into the queue, or refuses it because of a limit or because the session is busy. */
export function enqueue(content: Content, command: Enqueue): ContentDecision {
  if (content.session.place.agent !== null && !command.delegation) return refused(closedToClients)
  const full = overLimit(content, command)
  if (full) return refused(full)
  const work = decide(workMachine, content.session.work, command)
  if (work.kind !== 'accepted') return work
  return accepted<ContentEvent>(
    { type: 'entryQueued', entry: newEntry(content, command), prompt: command.prompt },
    ...workChanged(work.events),
    ...(command.whenBusy === 'INTERRUPT' ? abortEvents(content, superseded(command)) : []),
  )
}

const closedToClients = invalid(
  ['sessionId'],
  'the session is one of a subagent: only the run that delegates to it can prompt it',
)

function overLimit({ entries }: Content, { bytes, limits }: Enqueue): RefusalOf<'QUEUE_FULL'> | undefined {
  const prompts = limits.maxOutstandingPromptsPerSession
  if (entries.length >= prompts) return queueFull(`${prompts} prompts`, prompts)
  const total = limits.maxOutstandingPromptBytesPerSession
  const waiting = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  return waiting + bytes > total ? queueFull(`${total} bytes of prompts`, total) : undefined
}

const queueFull = (what: string, limit: number): RefusalOf<'QUEUE_FULL'> => ({
  code: 'QUEUE_FULL',
  message: `The session holds at most ${what} that have not finished. Wait until one has, or cancel one.`,
  limit,
})

/** Of several prompts that interrupt, the newest runs first, and all of them before the rest of the queue. */
function newEntry({ session }: Content, command: Enqueue): Entry {
  const ordinal = session.next.entry
  const { queueId, prompt, bytes, whenBusy, scopeId, clientRequestId, delegation, by, at } = command
  const rank = whenBusy === 'INTERRUPT' ? -1 - ordinal : ordinal
  return {
    sessionKey: session.key,
    ordinal,
    queueId,
    rank,
    bytes,
    whenBusy,
    budget: prompt.options.budget,
    scopeId,
    clientRequestId,
    delegation,
    createdBy: by,
    createdAt: at,
    state: { kind: 'queued' },
  }
}

const superseded = ({ by, at }: Enqueue): AbortRequest => ({
  kind: 'superseded',
  message: 'A prompt interrupted the run.',
  by,
  at,
})

/** Starts a run for the head of the queue. */
export function admit(content: Content, command: Admit): ContentDecision {
  const head = content.entries.find(({ state }) => state.kind === 'queued')
  if (head?.queueId !== command.queueId) return unchanged('the entry is not the first of the queue')
  const { runId, at } = command
  const { session } = content
  const run = newRun(content, command, head)
  const work = decide(workMachine, session.work, { type: 'begin', runId, run: run.ordinal, at })
  if (work.kind !== 'accepted') return work
  const user = newMessage(run, at, 0)
  return accepted<ContentEvent>(
    ...workChanged(work.events),
    ...entryChanged(head, eventsOf(decide(promptMachine, head.state, { type: 'start', runId, at }))),
    { type: 'runAdmitted', run },
    { type: 'messageCreated', message: user, parts: userParts(user, command.prompt) },
    { type: 'messageCreated', message: newMessage(run, at, 1), parts: [] },
    { type: 'logged', runId, at, body: inputOf(command.prompt) },
  )
}

function newRun({ session }: Content, { runId, owner, at }: Admit, { queueId, scopeId, budget }: Entry): Run {
  return {
    sessionKey: session.key,
    ordinal: session.next.run,
    runId,
    queueId,
    generationId: session.generation.generationId,
    epoch: session.epoch + 1,
    scopeId,
    startedAt: at,
    userMessageIndex: session.next.message,
    assistantMessageIndex: session.next.message + 1,
    model: null,
    steps: 0,
    usage: noUsage,
    budget,
    workedMs: 0,
    partCount: 0,
    attempts: 1,
    owner,
    stepFrom: 0,
    superseded: [],
    state: runMachine.evolve({ kind: 'admitting' }, { type: 'admitted' }),
  }
}

const newMessage = (run: Run, at: number, ordinal: 0 | 1): Message => ({
  sessionKey: run.sessionKey,
  index: run.userMessageIndex + ordinal,
  messageId: messageIdOf(run.runId, ordinal),
  runId: run.runId,
  role: ordinal === 0 ? 'USER' : 'ASSISTANT',
  createdAt: at,
  updatedAt: at,
  superseded: [],
})

function userParts({ sessionKey, index, messageId, createdAt }: Message, prompt: Prompt): readonly Part[] {
  const bodies: readonly PartBody[] = [
    { kind: 'text', text: prompt.text },
    ...prompt.attachments.map((attachment) => ({ kind: 'attachment', ...attachment }) as const),
  ]
  return bodies.map((body, partIndex) => ({
    sessionKey,
    messageIndex: index,
    partIndex,
    partId: partIdOf(messageId, partIndex),
    status: 'COMPLETED',
    body,
    startedAt: createdAt,
    finishedAt: createdAt,
  }))
}

const inputOf = ({ text, attachments }: Prompt) => ({ kind: 'input', text, attachments }) as const

/** Takes a waiting prompt out of the queue, or aborts the run of one that has started. */
export function cancel(content: Content, { queueId, request }: Cancel): ContentDecision {
  const entry = content.entries.find((candidate) => candidate.queueId === queueId)
  if (!entry) return unchanged('the entry has finished')
  if (entry.state.kind !== 'queued') return abortOf(content, request)
  const { message, at } = request
  const error = { code: 'ABORTED', message, source: 'harness' }
  return accepted(...takenOut(content, entry, { outcome: { status: 'CANCELLED', error }, at }))
}

/** Fails a waiting prompt. */
export function reject(content: Content, { queueId, error, at }: Reject): ContentDecision {
  const entry = content.entries.find((candidate) => candidate.queueId === queueId)
  if (entry?.state.kind !== 'queued') return unchanged('the entry does not wait')
  return accepted(...takenOut(content, entry, { outcome: { status: 'FAILED', error }, at }))
}

function takenOut(content: Content, entry: Entry, end: { outcome: RunOutcome; at: number }): readonly ContentEvent[] {
  const left = content.entries.length - 1
  return [
    ...entryChanged(entry, eventsOf(decide(promptMachine, entry.state, { type: 'cancel', ...end }))),
    ...workChanged(eventsOf(decide(workMachine, content.session.work, { type: 'drop', left, at: end.at }))),
  ]
}

/** Asks the active run to stop. It is acknowledged when the request is durable; the run ends soon after. */
export function abort(content: Content, { runId, request }: Abort): ContentDecision {
  if (runId !== null && content.run?.runId !== runId) return unchanged('the run is not active')
  return abortOf(content, request)
}

function abortOf(content: Content, request: AbortRequest): ContentDecision {
  const events = abortEvents(content, request)
  return events.length > 0 ? { kind: 'accepted', events } : unchanged('nothing runs that could still be aborted')
}
