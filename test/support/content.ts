import {
  asGenerationId,
  asPermissionId,
  asQueueId,
  asRunId,
  asScopeId,
  asSessionId,
  asSessionKey,
  type RunId,
  type ScopeKey,
} from '../../src/kernel/ids.ts'
import type { Child } from '../../src/domain/delegation/delegation.ts'
import type { EventDraft } from '../../src/domain/event/event.ts'
import { defaultLimits } from '../../src/domain/limits.ts'
import type { StreamingKind } from '../../src/domain/message/message.ts'
import type { Grant } from '../../src/domain/permission/grant.ts'
import type { Entry } from '../../src/domain/prompt/entry.ts'
import type { Prompt } from '../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../src/domain/run/outcome.ts'
import type { AbortRequest, Run } from '../../src/domain/run/run.ts'
import { noUsage, type Usage } from '../../src/domain/run/usage.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import { announcementsOf } from '../../src/domain/session/announce.ts'
import type {
  AskPermission,
  ContentCommand,
  Enqueue,
  RespondToPermission,
  RunRef,
} from '../../src/domain/session/commands.ts'
import { type Content, type ContentEvent, evolve } from '../../src/domain/session/content.ts'
import { decideTogether } from '../../src/domain/session/decide.ts'
import type { ContentDecision } from '../../src/domain/session/decision.ts'
import { rollUpsOf, writesOf } from '../../src/domain/session/project.ts'
import { pathBelow, type Session } from '../../src/domain/session/session.ts'
import type { RollUp, RowWrite } from '../../src/domain/session/writes.ts'
import type { ToolCallInfo } from '../../src/domain/tool/call.ts'
import type { Reconciliation, UncertainExecution } from '../../src/domain/tool/execution.ts'
import type { ToolResult } from '../../src/domain/tool/result.ts'

/**
 * Specifications of a session's content: `given(what was done).when(what is asked)` says what follows.
 * A prompt is named by its queue id; its run, when it has one, by `runOf` that.
 */

export const AT = 1000

export const runOf = (queueId: string): RunId => asRunId(`run of ${queueId}`)

export const promptOf = (text: string): Prompt => ({
  text,
  attachments: [],
  options: { modelHint: null, system: null, maxSteps: null, budget: null },
})

function sessionWith(): Session {
  const { generationId, place, ...rest } = newSession({
    key: asSessionKey(1),
    scopeKey: 2 as ScopeKey,
    sessionId: asSessionId('the session'),
    generationId: asGenerationId('the generation'),
    title: null,
    metadata: null,
    createdBy: 'ann',
    at: 1,
  })
  const { parentPath, ...where } = place
  const generation = { generationId, generationSequence: 3 }
  return { ...rest, generation, place: { ...where, path: pathBelow(parentPath, 3) } }
}

export const entryWith = (fields: Partial<Entry> = {}): Entry => ({
  sessionKey: asSessionKey(1),
  ordinal: 0,
  queueId: asQueueId('a'),
  rank: 0,
  bytes: 5,
  whenBusy: 'ENQUEUE',
  budget: null,
  scopeId: asScopeId('tenant'),
  clientRequestId: null,
  delegation: null,
  createdBy: 'ann',
  createdAt: AT,
  state: { kind: 'queued' },
  ...fields,
})

export const runWith = (fields: Partial<Run> = {}): Run => ({
  sessionKey: asSessionKey(1),
  ordinal: 0,
  runId: runOf('a'),
  queueId: asQueueId('a'),
  generationId: asGenerationId('the generation'),
  epoch: 1,
  scopeId: asScopeId('tenant'),
  startedAt: AT,
  userMessageIndex: 0,
  assistantMessageIndex: 1,
  model: null,
  steps: 0,
  usage: noUsage,
  budget: null,
  workedMs: 0,
  partCount: 0,
  attempts: 1,
  owner: 'a server',
  stepFrom: 0,
  superseded: [],
  state: { kind: 'resolving', aborting: null },
  ...fields,
})

export const emptyContent: Content = { session: sessionWith(), entries: [], run: null, open: [], permissions: [] }

/** A command, or one that depends on the content that it meets. */
export type Step = ContentCommand | ((content: Content) => ContentCommand)

export interface Outcome {
  readonly before: Content
  readonly decision: ContentDecision
  /** `accepted`, `unchanged`, or the code of the refusal. */
  readonly answer: string
  readonly events: readonly ContentEvent[]
  readonly after: Content
  readonly announced: readonly EventDraft[]
  readonly writes: readonly RowWrite[]
  readonly rollUps: readonly RollUp[]
}

export interface Given {
  readonly content: Content
  /** What follows from steps that are asked for together. */
  readonly when: (...asked: readonly [Step, ...Step[]]) => Outcome
}

/** The content that the steps lead to. Throws when one of them changes nothing. */
export function given(...steps: readonly Step[]): Given {
  const content = steps.reduce((before, step) => {
    const { answer, after } = outcomeOf(before, [step])
    if (answer !== 'accepted') throw new Error(`What is given must be possible: ${JSON.stringify(step)} is ${answer}.`)
    return after
  }, emptyContent)
  return { content, when: (...asked) => outcomeOf(content, asked) }
}

/** What follows from steps that are asked for together. */
export function outcomeOf(before: Content, [first, ...rest]: readonly [Step, ...Step[]]): Outcome {
  const commandOf = (step: Step) => (typeof step === 'function' ? step(before) : step)
  const decision = decideTogether(before, [commandOf(first), ...rest.map(commandOf)])
  const events = decision.kind === 'accepted' ? decision.events : []
  let after = before
  const meets = events.map((event) => {
    const met = [after, event] as const
    after = evolve(after, event)
    return met
  })
  return {
    before,
    decision,
    answer: decision.kind === 'refused' ? decision.refusal.code : decision.kind,
    events,
    after,
    announced: meets.flatMap(([content, event]) => announcementsOf(content, event)),
    writes: meets.flatMap(([content, event]) => writesOf(content, event)),
    rollUps: meets.flatMap(([content, event]) => rollUpsOf(content, event)),
  }
}

export const enqueue = (queueId: string, fields: Partial<Enqueue> = {}): Enqueue => ({
  type: 'enqueue',
  queueId: asQueueId(queueId),
  prompt: promptOf(`the prompt ${queueId}`),
  bytes: 5,
  whenBusy: 'ENQUEUE',
  scopeId: asScopeId('tenant'),
  clientRequestId: null,
  delegation: null,
  by: 'ann',
  limits: defaultLimits,
  at: AT,
  ...fields,
})

export const admit = (queueId: string, at = AT, prompt = promptOf(`the prompt ${queueId}`)): Step => ({
  type: 'admit',
  queueId: asQueueId(queueId),
  prompt,
  runId: runOf(queueId),
  owner: 'a server',
  at,
})

export const requestBy = (by: string, at = AT): AbortRequest => ({ kind: 'requested', message: 'Enough.', by, at })

export const cancel = (queueId: string, at = AT): Step => ({
  type: 'cancel',
  queueId: asQueueId(queueId),
  request: requestBy('bob', at),
})

export const reject = (queueId: string, at = AT): Step => ({
  type: 'reject',
  queueId: asQueueId(queueId),
  error: { code: 'SCOPE_REFUSED', message: 'The scope is refused.', source: 'scopeResolver' },
  at,
})

/** Aborts the run of `queueId`; whatever runs when that is null. */
export const abort = (queueId: string | null = null, by = 'bob'): Step => ({
  type: 'abort',
  runId: queueId === null ? null : runOf(queueId),
  request: requestBy(by),
})

/** The current run; one that there never was when nothing runs. */
export const refOf = ({ run }: Content): RunRef => ({ runId: run?.runId ?? runOf('nothing'), epoch: run?.epoch ?? 0 })

/** Goes on with the current run, with the durable texts of its parts that are open. */
export const resume =
  (owner = 'another server', texts: Readonly<Record<number, string>> = {}, at = AT): Step =>
  (content) => ({ type: 'resume', run: refOf(content), owner, texts: textsBy(texts), at })

const textsBy = (texts: Readonly<Record<number, string>>): ReadonlyMap<number, string> =>
  new Map(Object.entries(texts).map(([index, text]) => [Number(index), text]))

export const begin =
  (at = AT): Step =>
  (content) => ({ type: 'begin', run: refOf(content), at })

export const resolve =
  (at = AT): Step =>
  (content) => ({ type: 'resolve', run: refOf(content), model: { provider: 'offline', id: 'echo' }, at })

export const openPart =
  (partIndex: number, kind: StreamingKind = 'text', at = AT): Step =>
  (content) => ({ type: 'openPart', run: refOf(content), partIndex, kind, at })

export const growPart =
  (partIndex: number, offset: number, text: string): Step =>
  (content) => ({ type: 'growPart', run: refOf(content), partIndex, offset, text })

export const closePart =
  (partIndex: number, text: string, at = AT): Step =>
  (content) => ({ type: 'closePart', run: refOf(content), partIndex, text, at })

export const endStep =
  (usage: Usage = noUsage, at = AT): Step =>
  (content) => ({ type: 'endStep', run: refOf(content), output: { said: 'something' }, usage, at })

/** How long the current run has worked. */
export const count =
  (workedMs: number, at = AT): Step =>
  (content) => ({ type: 'count', run: refOf(content), workedMs, at })

export const completed: RunOutcome = { status: 'COMPLETED' }

export const failed = {
  status: 'FAILED',
  error: { code: 'RATE_LIMITED', message: 'Too fast.', source: 'model' },
} as const satisfies RunOutcome

export const conclude =
  (outcome: RunOutcome = completed, texts: Readonly<Record<number, string>> = {}, at = AT): Step =>
  (content) => ({
    type: 'conclude',
    run: refOf(content),
    outcome,
    texts: textsBy(texts),
    at,
  })

export const callWith = (fields: Partial<ToolCallInfo> = {}): ToolCallInfo => ({
  toolCallId: 'call',
  providerCallId: 'the provider’s call',
  toolName: 'write',
  input: { path: 'a.txt' },
  effect: 'once',
  ...fields,
})

export const openTool =
  (partIndex: number, fields: Partial<ToolCallInfo> = {}, at = AT): Step =>
  (content) => ({
    type: 'openTool',
    run: refOf(content),
    partIndex,
    call: callWith({ toolCallId: `call ${partIndex}`, ...fields }),
    at,
  })

/** Asks for the call at `partIndex`, or for the application when that is null. */
export const askPermission =
  (
    permissionId: string,
    partIndex: number | null,
    fields: Partial<AskPermission['permission']> & Partial<Pick<AskPermission, 'granted' | 'at'>> = {},
  ): Step =>
  (content) => {
    const { granted = 'not yet', at = AT, ...asked } = fields
    const permission = {
      permissionId: asPermissionId(permissionId),
      kind: 'tool',
      description: `May it ${permissionId}?`,
      toolCallId: partIndex === null ? null : `call ${partIndex}`,
      rememberKey: 'write',
      metadata: null,
      ...asked,
    }
    return { type: 'askPermission', run: refOf(content), permission, partIndex, granted, at }
  }

export const respond = (
  permissionId: string,
  decision: RespondToPermission['decision'] = 'ONCE',
  fields: Partial<RespondToPermission> = {},
): Step => ({
  type: 'respond',
  permissionId: asPermissionId(permissionId),
  decision,
  message: null,
  granted: 'not yet',
  by: 'bob',
  at: AT,
  ...fields,
})

export const grantWith = (fields: Partial<Grant> = {}): Grant => ({
  sessionKey: asSessionKey(1),
  rememberKey: 'write',
  permissionId: asPermissionId('p'),
  grantedBy: 'bob',
  createdAt: AT,
  ...fields,
})

export const revokeGrant = (grant: Grant = grantWith(), at = AT): Step => ({ type: 'revokeGrant', grant, at })

export const beginTool =
  (partIndex: number, at = AT): Step =>
  (content) => ({ type: 'beginTool', run: refOf(content), partIndex, at })

export const childWith = (fields: Partial<Child> = {}): Child => ({
  sessionKey: asSessionKey(9),
  sessionId: asSessionId('the child'),
  generationId: asGenerationId('the child’s generation'),
  queueId: asQueueId('the task'),
  model: null,
  ...fields,
})

export const delegateTool =
  (partIndex: number, child: Child = childWith(), at = AT): Step =>
  (content) => ({ type: 'delegateTool', run: refOf(content), partIndex, child, at })

export const written: ToolResult = { status: 'COMPLETED', output: { written: true } }

export const endTool =
  (partIndex: number, result: ToolResult = written, at = AT): Step =>
  (content) => ({ type: 'endTool', run: refOf(content), partIndex, result, at })

export const reconcile = (
  execution: UncertainExecution,
  found: Reconciliation = { outcome: 'NOT_EXECUTED' },
  at = AT,
): Step => ({ type: 'reconcile', execution, found, by: 'bob', at })
