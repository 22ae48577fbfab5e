import { accepted, decide, eventsOf, unchanged } from '../../kernel/decider.ts'
import { intentIdOf, type PermissionId } from '../../kernel/ids.ts'
import type { OpenTool } from '../message/message.ts'
import { abortOf, type Run } from '../run/run.ts'
import type { Reconciliation, UncertainExecution } from '../tool/execution.ts'
import { executionMachine } from '../tool/execution-machine.ts'
import { type CallCommand, callMachine, type CallEvent } from '../tool/machine.ts'
import { foundNotExecuted, notExecuted, type ToolResult } from '../tool/result.ts'
import type { BeginTool, EndTool, OpenToolCommand, ReconcileExecution, RunRef } from './commands.ts'
import { callChanged, type Content, type ContentEvent } from './content.ts'
import { current, stale } from './current.ts'
import { permissionsCancelled } from './decide-permission.ts'
import type { ContentDecision } from './decision.ts'
import { turned } from './turned.ts'

export function openTool(content: Content, { run: ref, partIndex, call, at }: OpenToolCommand): ContentDecision {
  const run = current(content, ref)
  if (!run) return stale
  if (run.state.kind !== 'generating') return unchanged('the run does not generate')
  if (partIndex !== run.partCount) return unchanged('that is not the next part')
  const part: OpenTool = { partIndex, kind: 'tool', startedAt: at, call, permissionId: null, state: { kind: 'pending' } }
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

/** The end of a call. One of which nobody knows how it ended is uncertain only if it may have had effects. */
export function endTool(content: Content, { run: ref, partIndex, result, at }: EndTool): ContentDecision {
  const found = callOf(content, ref, partIndex)
  if (!found) return stale
  const { run, part } = found
  const { effect } = part.call
  const command: CallCommand = result.status === 'UNCERTAIN' ? { type: 'close', effect } : { type: 'end', result }
  const events = eventsOf(decide(callMachine, part.state, command))
  const asked = content.permissions.filter(({ permissionId }) => isAwaiting(part, permissionId))
  const cancelled = permissionsCancelled(asked, at)
  return accepted(...turned(content, [...cancelled, ...ended(content, { run, part, events, at, before: 0 })], at))
}

const isAwaiting = ({ state }: OpenTool, permissionId: PermissionId): boolean =>
  state.kind === 'awaiting' && state.permissionId === permissionId

/** The calls that are open when the run ends. */
export function callsClosed(content: Content, run: Run, at: number): readonly ContentEvent[] {
  const calls = content.open.filter((part) => part.kind === 'tool')
  const closed: ContentEvent[] = []
  for (const part of calls) {
    const before = closed.filter(({ type }) => type === 'executionListed').length
    const events = eventsOf(decide(callMachine, part.state, { type: 'close', effect: part.call.effect }))
    closed.push(...ended(content, { run, part, events, at, before }))
  }
  return closed
}

interface Ending {
  readonly run: Run
  readonly part: OpenTool
  readonly events: readonly CallEvent[]
  readonly at: number
  /** How many executions are listed before it in the same change. */
  readonly before: number
}

/** A call ends: its part, its result in the log, and its place among the uncertain executions if it has to be there. */
function ended(content: Content, { run, part, events, at, before }: Ending): readonly ContentEvent[] {
  const ends = events.filter((event) => event.type === 'ended')
  return ends.flatMap((event): readonly ContentEvent[] => {
    const { runId } = run
    const { result } = event
    const { toolCallId, toolName } = part.call
    const logged: ContentEvent = { type: 'logged', runId, at, body: { kind: 'result', toolCallId, toolName, result } }
    const execution = uncertainExecution(content, { run, part, events, at, before })
    return [
      ...callChanged(part, [event], at),
      logged,
      ...(result.status === 'UNCERTAIN' && part.state.kind !== 'unknown' ? [{ type: 'executionListed', execution } as const] : []),
    ]
  })
}

function uncertainExecution({ session }: Content, { run, part, at, before }: Ending): UncertainExecution {
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
    startedAt: part.state.kind === 'running' ? part.state.since : part.startedAt,
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
  return accepted(...turned(content, [...reconciled, ...ended(content, { ...waiting, events, at, before: 0 })], at))
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

/**
 * The calls of a run that lost its process. Those of the step that was cut off are dropped; of the others that had begun it
 * is decided whether they can be begun again.
 */
export function callsLost(content: Content, run: Run, at: number): readonly ContentEvent[] {
  const events: ContentEvent[] = []
  for (const part of content.open.filter((open) => open.kind === 'tool')) {
    if (part.partIndex >= run.stepFrom) {
      events.push(...callChanged(part, [{ type: 'ended', result: notExecuted }], at))
      continue
    }
    const lost = eventsOf(decide(callMachine, part.state, { type: 'lose', effect: part.call.effect }))
    const before = events.filter(({ type }) => type === 'executionListed').length
    events.push(...callChanged(part, lost, at))
    if (lost.some(({ type }) => type === 'lost')) {
      events.push({ type: 'executionListed', execution: uncertainExecution(content, { run, part, events: lost, at, before }) })
    }
  }
  return events
}
