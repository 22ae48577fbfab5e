import { accepted, decide, eventsOf, unchanged } from '../../kernel/decider.ts'
import { intentIdOf } from '../../kernel/ids.ts'
import type { OpenTool } from '../message/message.ts'
import { abortOf, isOfStepUnderWay, type ModelIdentity, type Run } from '../run/run.ts'
import { begunAtOf, type CallState } from '../tool/call.ts'
import type { Reconciliation, UncertainExecution } from '../tool/execution.ts'
import { executionMachine } from '../tool/execution-machine.ts'
import { type CallCommand, callMachine, type CallEvent } from '../tool/machine.ts'
import { foundNotExecuted, type ToolResult } from '../tool/result.ts'
import type { BeginTool, DelegateTool, EndTool, OpenToolCommand, ReconcileExecution, RunRef } from './commands.ts'
import { callChanged, type Content, type ContentEvent } from './content.ts'
import { current, stale } from './current.ts'
import { isAwaiting, permissionsCancelled } from './decide-permission.ts'
import type { ContentDecision } from './decision.ts'
import { turned } from './turned.ts'

export function openTool(content: Content, { run: ref, partIndex, call, at }: OpenToolCommand): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  if (run.state.kind !== 'generating') return unchanged('the run does not generate')
  if (partIndex !== run.partCount) return unchanged('that is not the next part')
  const part: OpenTool = { partIndex, kind: 'tool', startedAt: at, call, permissionId: null, child: null, state: { kind: 'pending' } }
  return accepted(...turned(content, [{ type: 'partOpened', part }], at))
}

/** The intent: once it is durable the call may have happened. A run that is being aborted begins nothing. */
export function beginTool(content: Content, { run: ref, partIndex, at }: BeginTool): ContentDecision {
  const found = callOf(content, ref, partIndex)
  if (!found) return stale
  const { run, part } = found
  if (abortOf(run)) return unchanged('the run is being aborted')
  const { runId } = run
  const { toolCallId, toolName } = part.call
  const events = eventsOf(decide(callMachine, part.state, { type: 'begin', at }))
  if (events.length === 0) return unchanged('the call cannot begin')
  const logged: ContentEvent = { type: 'logged', runId, at, body: { kind: 'intent', toolCallId, toolName } }
  return accepted(...turned(content, [...callChanged(part, events, at), logged], at))
}

/** Once it is durable the call waits for its child. A run that is being aborted begins none. */
export function delegateTool(content: Content, { run: ref, partIndex, child, at }: DelegateTool): ContentDecision {
  const found = callOf(content, ref, partIndex)
  if (!found) return stale
  const { run, part } = found
  if (abortOf(run)) return unchanged('the run is being aborted')
  if (part.call.effect !== 'child' || part.state.kind !== 'running') return unchanged('the call does not delegate')
  if (part.child) return unchanged('the call has a child')
  return accepted(...turned(content, [{ type: 'childLinked', part, child, at }], at))
}

/**
 * The end of a call. One of which nobody knows how it ended is uncertain only if it may have had effects; so is one that a
 * lost process had begun and that was not begun again, whatever stood against it. What must not be repeated is for a person
 * to end.
 */
export function endTool(content: Content, command: EndTool): ContentDecision {
  const { run: ref, partIndex, result, childModel = null, at } = command
  const found = callOf(content, ref, partIndex)
  if (!found) return stale
  const { run } = found
  const part = answeredBy(found.part, childModel)
  if (part.state.kind === 'unknown') return unchanged('a person has to find out how the call ended')
  const { effect } = part.call
  const isUnknown = result.status === 'UNCERTAIN' || (!['none', 'child'].includes(effect) && wasNotRepeated(part.state))
  const end: CallCommand = isUnknown ? { type: 'close', effect } : { type: 'end', result }
  const events = eventsOf(decide(callMachine, part.state, end))
  const asked = content.permissions.filter(({ permissionId }) => isAwaiting(part, permissionId))
  const cancelled = permissionsCancelled(asked, at)
  return accepted(...turned(content, [...cancelled, ...changed(content, { run, part, events, at, before: 0 })], at))
}

const answeredBy = (part: OpenTool, model: ModelIdentity | null): OpenTool =>
  part.child ? { ...part, child: { ...part.child, model } } : part

const wasNotRepeated = (state: CallState): boolean => state.kind !== 'running' && begunAtOf(state) !== null

/** The calls that are open when the run ends. */
export const callsClosed = (content: Content, run: Run, at: number): readonly ContentEvent[] =>
  callsChanged(content, { run, at, what: () => 'close' })

/**
 * The calls of a run that lost its process. Those of the step that was cut off end with it; of the others that had begun it
 * is decided whether they can be begun again.
 */
export const callsLost = (content: Content, run: Run, at: number): readonly ContentEvent[] =>
  callsChanged(content, { run, at, what: ({ partIndex }) => (isOfStepUnderWay(run, partIndex) ? 'close' : 'lose') })

interface Sweep {
  readonly run: Run
  readonly at: number
  readonly what: (part: OpenTool) => 'close' | 'lose'
}

/** What becomes of all open calls, in one change. */
function callsChanged(content: Content, { run, at, what }: Sweep): readonly ContentEvent[] {
  const changes: ContentEvent[] = []
  for (const part of content.open.filter((open) => open.kind === 'tool')) {
    const before = changes.filter(({ type }) => type === 'executionListed').length
    const events = eventsOf(decide(callMachine, part.state, { type: what(part), effect: part.call.effect }))
    changes.push(...changed(content, { run, part, events, at, before }))
  }
  return changes
}

interface Change {
  readonly run: Run
  readonly part: OpenTool
  readonly events: readonly CallEvent[]
  readonly at: number
  /** How many executions are listed before it in the same change. */
  readonly before: number
}

/** A call changes: its part, its result in the log if it has ended, and its place among the uncertain executions. */
function changed(content: Content, { run, part, events, at, before }: Change): readonly ContentEvent[] {
  const { runId } = run
  const { toolCallId, toolName } = part.call
  return events.flatMap((event): readonly ContentEvent[] => {
    const startedAt = uncertainFrom(part, event)
    const execution = startedAt !== null && uncertainExecution(content, { run, part, startedAt, at, before })
    return [
      ...callChanged(part, [event], at),
      ...(event.type === 'ended'
        ? [{ type: 'logged', runId, at, body: { kind: 'result', toolCallId, toolName, result: event.result } } as const]
        : []),
      ...(execution ? [{ type: 'executionListed', execution } as const] : []),
    ]
  })
}

/** When a call began that becomes uncertain: by being lost or, if it was not, by ending without a known result. */
function uncertainFrom({ state }: OpenTool, event: CallEvent): number | null {
  const isUnknown = event.type === 'ended' && event.result.status === 'UNCERTAIN' && state.kind !== 'unknown'
  return event.type === 'lost' || isUnknown ? begunAtOf(state) : null
}

type Uncertain = Omit<Change, 'events'> & { readonly startedAt: number }

function uncertainExecution({ session }: Content, { run, part, startedAt, at, before }: Uncertain): UncertainExecution {
  const { toolCallId, toolName } = part.call
  return {
    sessionKey: session.key,
    ordinal: session.next.execution + before,
    intentId: intentIdOf(run.runId, part.partIndex),
    runId: run.runId,
    toolCallId,
    toolName,
    messageIndex: run.assistantMessageIndex,
    partIndex: part.partIndex,
    startedAt,
    uncertainSince: at,
    state: { kind: 'uncertain' },
  }
}

function callOf(content: Content, ref: RunRef, index: number): { readonly run: Run; readonly part: OpenTool } | undefined {
  const run = current(content, ref)
  const part = content.open.find(({ partIndex }) => partIndex === index)
  return run && part?.kind === 'tool' ? { run, part } : undefined
}

/**
 * What a person found out about a call: its result, if its run waits for it; if the run has ended, something that the next
 * context of the session tells of.
 */
export function reconcile(content: Content, { execution, found, by, at }: ReconcileExecution): ContentDecision {
  const decision = decide(executionMachine, execution.state, { type: 'reconcile', found, by, at })
  if (decision.kind !== 'accepted') return decision
  const { runId, toolCallId, toolName, partIndex } = execution
  const reconciled = decision.events.map((event) => ({ type: 'executionReconciled', execution, event }) as const)
  const { run } = content
  const waiting = run?.runId === runId && callOf(content, run, partIndex)
  if (!waiting) {
    return accepted<ContentEvent>(...reconciled, {
      type: 'logged',
      runId,
      at,
      body: { kind: 'reconciled', toolCallId, toolName, found },
    })
  }
  const events = eventsOf(decide(callMachine, waiting.part.state, { type: 'end', result: resultOf(found) }))
  return accepted(...turned(content, [...reconciled, ...changed(content, { ...waiting, events, at, before: 0 })], at))
}

function resultOf(found: Reconciliation): ToolResult {
  switch (found.outcome) {
    case 'SUCCEEDED':
      return { status: 'COMPLETED', output: found.output }
    case 'FAILED':
      return { status: 'FAILED', error: found.error }
    case 'NOT_EXECUTED':
      return foundNotExecuted
  }
}
