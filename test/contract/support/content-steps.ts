import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import {
  asPermissionId,
  asSessionKey,
  type GenerationId,
  type IntentId,
  type QueueId,
  type RunId,
  type SessionId,
} from '../../../src/kernel/ids.ts'
import type { Child } from '../../../src/domain/delegation/delegation.ts'
import { defaultLimits } from '../../../src/domain/limits.ts'
import type { OpenTool } from '../../../src/domain/message/message.ts'
import type { Grant } from '../../../src/domain/permission/grant.ts'
import type { Prompt, WhenBusy } from '../../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../../src/domain/run/outcome.ts'
import { abortOf } from '../../../src/domain/run/run.ts'
import type { ContentCommand, RunRef } from '../../../src/domain/session/commands.ts'
import type { Content } from '../../../src/domain/session/content.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import type { ToolResult } from '../../../src/domain/tool/result.ts'
import { completed, promptOf, scopeId, usageOf } from './rows.ts'
import { NOW } from './world.ts'

/** A command in the making: `n` chooses among what the content has to offer. */
export interface Step {
  readonly kind: ContentCommand['type'] | 'advance' | 'late'
  readonly n: number
  readonly text: string
  readonly whenBusy: WhenBusy
}

/** What the author of commands knows besides the content. */
export interface Memory {
  readonly prompts: ReadonlyMap<QueueId, Prompt>
  /** The durable text of each part that streams. */
  readonly texts: ReadonlyMap<number, string>
  /** By their keys. */
  readonly grants: ReadonlyMap<string, Grant>
  readonly executions: ReadonlyMap<IntentId, UncertainExecution>
}

const weights: Readonly<Record<Step['kind'], number>> = {
  advance: 30,
  enqueue: 3,
  respond: 3,
  revokeGrant: 2,
  reconcile: 2,
  growPart: 2,
  admit: 1,
  begin: 1,
  resolve: 1,
  openPart: 1,
  closePart: 1,
  openTool: 1,
  askPermission: 1,
  beginTool: 1,
  delegateTool: 1,
  endTool: 1,
  endStep: 1,
  count: 1,
  conclude: 1,
  resume: 1,
  cancel: 1,
  reject: 1,
  abort: 1,
  late: 1,
}

const kinds = fc.oneof(
  ...Object.entries(weights).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Step['kind']) })),
)

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('\0', '\uD83C', '\uDF88', '🎈', '"\\', '__proto__'))

const steps: fc.Arbitrary<Step> = fc.record({
  kind: kinds,
  n: fc.nat({ max: 11 }),
  text,
  whenBusy: fc.constantFrom('ENQUEUE', 'ENQUEUE', 'ENQUEUE', 'ENQUEUE', 'INTERRUPT', 'REJECT'),
})

/** Commits, each of one or a few steps. */
export const commitPlans: fc.Arbitrary<readonly (readonly Step[])[]> = fc.array(
  fc.array(steps, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 40, size: 'max' },
)

/** The command that a step stands for. Many fit the content, some do not: those must change nothing. */
export function commandOf(content: Content, step: Step, memory: Memory): ContentCommand {
  const kind = step.kind === 'advance' ? next(content, step) : step.kind
  const run: RunRef = content.run ?? { runId: 'none' as RunId, epoch: -1 }
  return authors[kind]({ content, step, memory, run, at: NOW + step.n })
}

interface Situation {
  readonly content: Content
  readonly step: Step
  readonly memory: Memory
  readonly run: RunRef
  readonly at: number
}

const authors: Readonly<Record<Exclude<Step['kind'], 'advance'>, (situation: Situation) => ContentCommand>> = {
  enqueue: ({ step: { text: said, n, whenBusy }, at }) => ({
    type: 'enqueue',
    queueId: randomUUID() as QueueId,
    prompt: { ...promptOf(said), attachments: attachments.slice(0, n % 3) },
    bytes: said.length,
    whenBusy,
    scopeId,
    clientRequestId: null,
    delegation: null,
    by: 'somebody',
    limits: defaultLimits,
    at,
  }),
  admit: ({ content: { entries }, memory, at }) => {
    const queueId = entries.find(({ state }) => state.kind === 'queued')?.queueId ?? ('none' as QueueId)
    const prompt = memory.prompts.get(queueId) ?? promptOf('')
    return { type: 'admit', queueId, prompt, runId: randomUUID() as RunId, owner: 'a server', at }
  },
  cancel: (situation) => {
    const { entries } = situation.content
    const queueId = entries[situation.step.n % Math.max(1, entries.length)]?.queueId ?? ('none' as QueueId)
    return { type: 'cancel', queueId, request: requestOf(situation) }
  },
  reject: ({ content: { entries }, step: { n, text: message }, at }) => {
    const queueId = entries[n % Math.max(1, entries.length)]?.queueId ?? ('none' as QueueId)
    return { type: 'reject', queueId, error: { code: 'A_CODE', message, source: 'harness' }, at }
  },
  abort: (situation) => {
    const runId = situation.step.n % 2 === 0 ? null : situation.run.runId
    return { type: 'abort', runId, request: requestOf(situation) }
  },
  resume: ({ run, step: { n }, memory: { texts }, at }) => ({ type: 'resume', run, owner: `server ${n}`, texts: new Map(texts), at }),
  begin: ({ run, at }) => ({ type: 'begin', run, at }),
  resolve: ({ run, step, at }) => ({ type: 'resolve', run, model: { provider: 'p', id: `m${step.n}` }, at }),
  openPart: ({ content, run, step: { n }, at }) => ({
    type: 'openPart',
    run,
    partIndex: content.run?.partCount ?? n,
    kind: n % 2 === 0 ? 'text' : 'reasoning',
    at,
  }),
  count: ({ run, step: { n }, at }) => ({ type: 'count', run, workedMs: n, at }),
  growPart: (situation) => {
    const { partIndex, sofar } = partOf(situation)
    return { type: 'growPart', run: situation.run, partIndex, offset: sofar.length, text: situation.step.text || '.' }
  },
  closePart: (situation) => {
    const { partIndex, sofar } = partOf(situation)
    return { type: 'closePart', run: situation.run, partIndex, text: sofar + situation.step.text, at: situation.at }
  },
  openTool: ({ content, run, step: { n, text: said }, at }) => ({
    type: 'openTool',
    run,
    partIndex: content.run?.partCount ?? n,
    call: {
      toolCallId: `call ${n}${said}`,
      providerCallId: said,
      toolName: said,
      input: { said, n: [n] },
      effect: (['once', 'repeatable', 'none', 'child'] as const)[n % 4] ?? 'once',
    },
    at,
  }),
  askPermission: ({ content, run, step: { n, text: said }, memory, at }) => {
    const rememberKey = [said, null, 'key'][n % 3] ?? null
    const pending = content.open.find((part) => part.kind === 'tool' && part.state.kind === 'pending')
    return {
      type: 'askPermission',
      run,
      permission: {
        permissionId: asPermissionId(randomUUID()),
        kind: said,
        description: said,
        toolCallId: n % 2 === 0 ? said : null,
        rememberKey,
        metadata: { said },
      },
      partIndex: n % 2 === 0 ? (pending?.partIndex ?? n) : null,
      granted: grantedBy(memory, rememberKey),
      at,
    }
  },
  beginTool: (situation) => {
    const { partIndex } = callOf(situation, 'pending')
    return { type: 'beginTool', run: situation.run, partIndex, at: situation.at }
  },
  delegateTool: (situation) => {
    const { partIndex } = callOf(situation, 'running')
    return { type: 'delegateTool', run: situation.run, partIndex, child: childOf(situation.step.text), at: situation.at }
  },
  endTool: (situation) => {
    const { partIndex } = callOf(situation, 'running')
    const { n, text: said } = situation.step
    return { type: 'endTool', run: situation.run, partIndex, result: results(said)[n % 4] ?? unknown, childModel: { provider: 'p', id: said }, at: situation.at }
  },
  respond: ({ content: { permissions }, step: { n, text: said }, memory, at }) => {
    const permission = permissions[n % Math.max(1, permissions.length)]
    return {
      type: 'respond',
      permissionId: permission?.permissionId ?? asPermissionId('none'),
      decision: (['ALWAYS', 'ALWAYS', 'ONCE', 'REJECT'] as const)[(n >> 1) % 4] ?? 'ONCE',
      message: n > 6 ? said : null,
      granted: grantedBy(memory, permission?.rememberKey ?? null),
      by: 'somebody',
      at,
    }
  },
  revokeGrant: ({ content, step: { n }, memory: { grants }, at }) => {
    const { key: sessionKey } = content.session
    const never = { sessionKey, rememberKey: 'never granted', permissionId: asPermissionId('none'), grantedBy: '', createdAt: 0 }
    return { type: 'revokeGrant', grant: [...grants.values()][n % Math.max(1, grants.size)] ?? never, at }
  },
  reconcile: (situation) => {
    const { n, text: said } = situation.step
    const executions = [...situation.memory.executions.values()]
    const execution = executions[n % Math.max(1, executions.length)]
    if (!execution) return authors.late(situation)
    const { error } = failedWith(said)
    const found = [{ outcome: 'SUCCEEDED', output: [said] }, { outcome: 'FAILED', error }, { outcome: 'NOT_EXECUTED' }] as const
    return { type: 'reconcile', execution, found: found[n % 3] ?? found[2], by: 'somebody', at: situation.at }
  },
  endStep: ({ run, step: { text: said, n }, at }) => ({
    type: 'endStep',
    run,
    output: { said, n: [n] },
    usage: usageOf(n),
    at,
  }),
  conclude: ({ run, step: { text: said, n }, memory: { texts }, at }) => ({
    type: 'conclude',
    run,
    outcome: outcomes(said)[n % 3] ?? completed,
    texts,
    at,
  }),
  late: ({ run, at }) => ({
    type: 'endStep',
    run: { ...run, epoch: run.epoch - 1 },
    output: null,
    usage: usageOf(1),
    at,
  }),
}

const requestOf = ({ step, at }: Situation) => ({ kind: 'requested', message: step.text, by: 'somebody', at }) as const

/** One of the parts that stream, or one that does not exist. */
function partOf({ content: { open }, step: { n }, memory }: Situation) {
  const texts = open.filter(({ kind }) => kind !== 'tool')
  const partIndex = texts[n % Math.max(1, texts.length)]?.partIndex ?? n
  return { partIndex, sofar: memory.texts.get(partIndex) ?? '' }
}

/** A call that stands there, or else another part, or one that does not exist. */
function callOf({ content: { open }, step: { n } }: Situation, kind: OpenTool['state']['kind']) {
  const calls = open.filter((part) => part.kind === 'tool' && part.state.kind === kind)
  return calls[n % Math.max(1, calls.length)] ?? open[n % Math.max(1, open.length)] ?? { partIndex: n }
}

const grantedBy = ({ grants }: Memory, key: string | null) => (key !== null && grants.has(key) ? 'before' : 'not yet')

const childOf = (name: string): Child => ({
  sessionKey: asSessionKey(1),
  sessionId: name as SessionId,
  generationId: name as GenerationId,
  queueId: name as QueueId,
  model: null,
})

const attachments = [
  { mediaType: 'text/plain', filename: null, url: 'data:,a' },
  { mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGk=' },
]

const failedWith = (message: string) =>
  ({ status: 'FAILED', error: { code: 'A_CODE', message, source: 'model' } }) as const

const outcomes = (message: string): readonly RunOutcome[] => {
  const failed = failedWith(message)
  return [completed, failed, { ...failed, status: 'CANCELLED' }]
}

const unknown: ToolResult = { ...failedWith('unknown'), status: 'UNCERTAIN' }

const results = (said: string): readonly ToolResult[] => [
  { status: 'COMPLETED', output: { said } },
  failedWith(said),
  { ...failedWith(said), status: 'CANCELLED' },
  unknown,
]

/** What leads deeper into the life of a run. */
function next({ entries, run, open, permissions }: Content, { n }: Step): ContentCommand['type'] {
  if (!run) return entries.length > 0 ? 'admit' : 'enqueue'
  if (run.state.kind === 'resolving') return 'resolve'
  if (abortOf(run) && n % 3 === 0) return 'conclude'
  if (permissions.length > 0 && n % 2 === 1) return 'respond'
  const call = open.find((part) => part.kind === 'tool')
  if (call && n % 3 === 2) return call.partIndex < run.stepFrom ? onwards[call.state.kind] : 'endStep'
  if (open.length < 3) return n % 2 === 0 ? 'openTool' : 'openPart'
  return deeper[n % deeper.length] ?? 'growPart'
}

const deeper = ['askPermission', 'closePart', 'beginTool', 'askPermission', 'endTool', 'growPart', 'endStep'] as const

/** What happens next to a call of a durable step. */
const onwards = {
  pending: 'beginTool',
  awaiting: 'respond',
  running: 'resume',
  unknown: 'reconcile',
  ended: 'endStep',
} as const satisfies Record<OpenTool['state']['kind'], ContentCommand['type']>
