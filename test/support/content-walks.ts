import fc from 'fast-check'
import { asPermissionId, asQueueId, asRunId, asScopeId, type QueueId, type RunId } from '../../src/kernel/ids.ts'
import { defaultLimits, type Limits } from '../../src/domain/limits.ts'
import type { StreamingKind } from '../../src/domain/message/message.ts'
import type { Grant } from '../../src/domain/permission/grant.ts'
import type { PermissionDecision } from '../../src/domain/permission/permission.ts'
import type { WhenBusy } from '../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../src/domain/run/outcome.ts'
import type { Usage } from '../../src/domain/run/usage.ts'
import type { ContentCommand, RunRef } from '../../src/domain/session/commands.ts'
import type { Content } from '../../src/domain/session/content.ts'
import type { Effect, ToolCallInfo } from '../../src/domain/tool/call.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'
import { executionMachine } from '../../src/domain/tool/execution-machine.ts'
import { outcomeUnknown, type ToolResult } from '../../src/domain/tool/result.ts'
import { anyText } from './any-text.ts'
import { completed, emptyContent, failed, type Outcome, outcomeOf, promptOf, refOf } from './content.ts'

/**
 * Random histories of a session: what clients, the admitter and executors, late ones included, may ask for, one thing
 * after another. A move is a wish; the content that it meets makes it a command that fits often, not always.
 */

export interface WalkStep {
  readonly command: ContentCommand
  /** Given by, or meant for, a run that is not the current one. */
  readonly isForeign: boolean
  readonly outcome: Outcome
}

export type Walk = readonly WalkStep[]

export const walkLimits: Limits = {
  ...defaultLimits,
  maxOutstandingPromptsPerSession: 5,
  maxOutstandingPromptBytesPerSession: 40,
}

type Whose = 'current' | 'earlier' | 'unknown' | 'older epoch' | 'newer epoch'

interface Move {
  readonly type: ContentCommand['type']
  readonly whose: Whose
  /** Which entry or part: 0 is the one that fits best. */
  readonly pick: number
  readonly text: string
  readonly whenBusy: WhenBusy
  readonly bytes: number
  readonly part: StreamingKind
  readonly outcome: RunOutcome
  readonly usage: Usage
  readonly effect: Effect
  readonly result: ToolResult
  readonly decision: PermissionDecision
  /** What is said with a rejection. */
  readonly message: string | null
  readonly rememberKey: string | null
}

type Weights<T extends string> = Readonly<Record<T, number>>

const oneOf = <T extends string>(weights: Weights<T>): fc.Arbitrary<T> =>
  fc.oneof(
    ...Object.entries<number>(weights).map(([value, weight]) => ({ weight, arbitrary: fc.constant(value as T) })),
  )

const tokens = fc.nat({ max: 9 })

const moves: fc.Arbitrary<Move> = fc.record({
  type: oneOf<ContentCommand['type']>({
    enqueue: 6,
    admit: 6,
    cancel: 2,
    reject: 1,
    abort: 1,
    begin: 4,
    resolve: 5,
    openPart: 6,
    growPart: 4,
    closePart: 3,
    openTool: 6,
    askPermission: 6,
    beginTool: 5,
    endTool: 3,
    respond: 5,
    revokeGrant: 2,
    reconcile: 2,
    endStep: 3,
    conclude: 3,
  }),
  whose: oneOf<Whose>({ current: 9, earlier: 1, unknown: 1, 'older epoch': 1, 'newer epoch': 1 }),
  pick: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 4 })),
  text: anyText,
  whenBusy: oneOf<WhenBusy>({ ENQUEUE: 4, REJECT: 1, INTERRUPT: 2 }),
  bytes: fc.nat({ max: 12 }),
  part: fc.constantFrom('text', 'reasoning'),
  outcome: fc.constantFrom<RunOutcome>(completed, failed, { ...failed, status: 'CANCELLED' }),
  usage: fc.record({
    inputTokens: tokens,
    outputTokens: tokens,
    totalTokens: tokens,
    reasoningTokens: tokens,
    cachedInputTokens: tokens,
  }),
  effect: oneOf<Effect>({ none: 1, repeatable: 1, once: 2 }),
  result: fc.constantFrom<ToolResult>(
    { status: 'COMPLETED', output: { said: 'something' } },
    { status: 'FAILED', error: failed.error },
    { status: 'CANCELLED', error: failed.error },
    outcomeUnknown,
  ),
  decision: oneOf<PermissionDecision>({ ONCE: 2, ALWAYS: 3, REJECT: 1 }),
  message: fc.option(anyText, { freq: 2 }),
  rememberKey: fc.option(fc.oneof(fc.constantFrom('one', 'two'), anyText), { freq: 3 }),
})

/** Walks that begin with an empty session. A counterexample is printed as the commands that lead to it. */
export const walks: fc.Arbitrary<Walk> = fc
  .array(moves, { minLength: 1, maxLength: 80, size: 'max' })
  .map(walkOf)
  .map((walk) => Object.assign(walk, { [fc.toStringMethod]: () => walk.map(printed).join('\n') }))

const printed = ({ command, outcome }: WalkStep): string =>
  `${JSON.stringify({ ...command, limits: undefined, prompt: undefined })} ${outcome.answer}`

interface Walker {
  readonly content: Content
  /** The number of the step, and its time. */
  readonly at: number
  /** The run before the current one. */
  readonly earlier: RunRef
  /** The text of the parts that are open, which their executor holds. */
  readonly texts: Map<number, string>
  /** What is stored besides the content, by key and by intent. */
  readonly grants: Map<string, Grant>
  readonly executions: Map<string, UncertainExecution>
}

function walkOf(wishes: readonly Move[]): Walk {
  let content = emptyContent
  let earlier: RunRef = { runId: asRunId('another'), epoch: 0 }
  const memory = {
    texts: new Map<number, string>(),
    grants: new Map<string, Grant>(),
    executions: new Map<string, UncertainExecution>(),
  }
  return wishes.map((move, i) => {
    const walker: Walker = { content, earlier, at: 1000 + i, ...memory }
    const command = commandOf(walker, move)
    const outcome = outcomeOf(content, [command])
    remember(walker, outcome)
    if (content.run && !outcome.after.run) earlier = refOf(content)
    content = outcome.after
    return { command, isForeign: isForeign(outcome.before, command), outcome }
  })
}

function remember({ texts, grants, executions }: Walker, { events, after }: Outcome): void {
  for (const event of events) {
    const { type } = event
    if (type === 'partGrown') {
      const { partIndex } = event.part
      texts.set(partIndex, (texts.get(partIndex) ?? '') + event.text)
    } else if (type === 'granted') grants.set(event.grant.rememberKey, event.grant)
    else if (type === 'grantRevoked') grants.delete(event.grant.rememberKey)
    else if (type === 'executionListed') executions.set(event.execution.intentId, event.execution)
    else if (type === 'executionReconciled') {
      const state = executionMachine.evolve(event.execution.state, event.event)
      executions.set(event.execution.intentId, { ...event.execution, state })
    }
  }
  if (!after.run) texts.clear()
}

function isForeign({ run }: Content, command: ContentCommand): boolean {
  if (command.type === 'abort') return command.runId !== null && command.runId !== run?.runId
  return 'run' in command && (command.run.runId !== run?.runId || command.run.epoch !== run.epoch)
}

function commandOf(walker: Walker, move: Move): ContentCommand {
  const { content, at, texts } = walker
  const { type, pick, text, whenBusy, bytes, part: kind, outcome, usage } = move
  const run = refFor(walker, move.whose)
  const request = { kind: 'requested', message: `at ${at}`, by: 'bob', at } as const
  const partIndex = content.open[pick]?.partIndex ?? pick
  const nextIndex = (content.run?.partCount ?? 0) + (pick % 3 === 2 ? -1 : pick % 3)
  switch (type) {
    case 'enqueue':
      return { type, ...promptAt(at), ...asked, whenBusy, bytes }
    case 'admit':
      return { type, ...promptAt(at), queueId: queueIdOf(content, pick, 'queued'), runId: runIdAt(at) }
    case 'cancel':
      return { type, queueId: queueIdOf(content, pick), request }
    case 'reject':
      return { type, queueId: queueIdOf(content, pick), error: failed.error, at }
    case 'abort':
      return { type, runId: pick === 0 ? null : run.runId, request }
    case 'begin':
      return { type, run, at }
    case 'resolve':
      return { type, run, model: { provider: 'offline', id: 'echo' }, at }
    case 'openPart':
      return { type, run, partIndex: nextIndex, kind, at }
    case 'growPart':
      return { type, run, partIndex, offset: texts.get(partIndex)?.length ?? 0, text: `${text}.` }
    case 'closePart':
      return { type, run, partIndex, text: (texts.get(partIndex) ?? '') + text, at }
    case 'openTool':
      return { type, run, partIndex: nextIndex, call: callAt(at, move), at }
    case 'askPermission':
      return { type, run, ...askedBy(walker, move), partIndex: pick === 3 ? null : callIn(content, pick, 'pending'), at }
    case 'beginTool':
      return { type, run, partIndex: callIn(content, pick, 'pending'), at }
    case 'endTool':
      return { type, run, partIndex: callIn(content, pick, 'running'), result: move.result, at }
    case 'respond':
      return respondTo(walker, move)
    case 'revokeGrant': {
      const grant = [...walker.grants.values()][pick]
      return grant ? { type, grant, at } : respondTo(walker, move)
    }
    case 'reconcile': {
      const execution = [...walker.executions.values()][pick]
      const found = { outcome: 'SUCCEEDED', output: { text } } as const
      return execution ? { type, execution, found, by: 'bob', at } : respondTo(walker, move)
    }
    case 'endStep':
      return { type, run, output: { text }, usage, at }
    case 'conclude':
      return { type, run, outcome, texts: new Map(texts), at }
  }
}

const callAt = (at: number, { text, effect }: Move): ToolCallInfo => ({
  toolCallId: `call ${at}`,
  providerCallId: text,
  toolName: 'tool',
  input: { text },
  effect,
})

/** A call that stands there; without one, any open part or none. */
function callIn({ open }: Content, pick: number, kind: 'pending' | 'running'): number {
  const calls = open.filter((part) => part.kind === 'tool' && part.state.kind === kind)
  return (calls[pick] ?? open[pick])?.partIndex ?? pick
}

const grantedIn = ({ grants }: Walker, key: string | null) => (key !== null && grants.has(key) ? 'before' : 'not yet')

function askedBy(walker: Walker, { text: description, rememberKey }: Move) {
  const permissionId = asPermissionId(`permission ${walker.at}`)
  const permission = { permissionId, kind: 'tool', description, toolCallId: null, rememberKey, metadata: { description } }
  return { permission, granted: grantedIn(walker, rememberKey) } as const
}

function respondTo(walker: Walker, { pick, decision, message }: Move): ContentCommand {
  const permission = walker.content.permissions[pick]
  const permissionId = permission?.permissionId ?? asPermissionId('unknown')
  const granted = grantedIn(walker, permission?.rememberKey ?? null)
  return { type: 'respond', permissionId, decision, message, granted, by: 'bob', at: walker.at }
}

const asked = { scopeId: asScopeId('tenant'), clientRequestId: null, by: 'ann', limits: walkLimits } as const

const promptAt = (at: number) => ({ queueId: asQueueId(`prompt ${at}`), prompt: promptOf(`the prompt ${at}`), at })

const runIdAt = (at: number): RunId => asRunId(`run ${at}`)

function queueIdOf({ entries }: Content, pick: number, kind?: 'queued'): QueueId {
  const candidates = entries.filter(({ state }) => kind === undefined || state.kind === kind)
  return candidates[pick]?.queueId ?? asQueueId('unknown')
}

function refFor({ content, earlier }: Walker, whose: Whose): RunRef {
  const { runId, epoch } = refOf(content)
  switch (whose) {
    case 'current':
      return { runId, epoch }
    case 'earlier':
      return earlier
    case 'unknown':
      return { runId: asRunId('unknown'), epoch }
    case 'older epoch':
      return { runId, epoch: epoch - 1 }
    case 'newer epoch':
      return { runId, epoch: epoch + 1 }
  }
}
