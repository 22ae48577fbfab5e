import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { QueueId, RunId } from '../../../src/kernel/ids.ts'
import { defaultLimits } from '../../../src/domain/limits.ts'
import type { Prompt, WhenBusy } from '../../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../../src/domain/run/outcome.ts'
import type { ContentCommand, RunRef } from '../../../src/domain/session/commands.ts'
import type { Content } from '../../../src/domain/session/content.ts'
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
}

const kinds: readonly Step['kind'][] = [
  ...(['advance', 'advance', 'advance', 'advance', 'advance', 'advance', 'enqueue', 'enqueue'] as const),
  ...([
    'openPart',
    'growPart',
    'growPart',
    'closePart',
    'endStep',
    'conclude',
    'cancel',
    'reject',
    'abort',
    'admit',
    'begin',
    'resolve',
    'late',
  ] as const),
]

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('\0', '\uD83C', '\uDF88', '🎈', '"\\', '__proto__'))

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  n: fc.nat({ max: 5 }),
  text,
  whenBusy: fc.constantFrom('ENQUEUE', 'ENQUEUE', 'INTERRUPT', 'REJECT'),
})

/** Commits, each of one or a few steps. */
export const commitPlans: fc.Arbitrary<readonly (readonly Step[])[]> = fc.array(
  fc.array(steps, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 25, size: 'max' },
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
    by: 'somebody',
    limits: defaultLimits,
    at,
  }),
  admit: ({ content: { entries }, memory, at }) => {
    const queueId = entries.find(({ state }) => state.kind === 'queued')?.queueId ?? ('none' as QueueId)
    const prompt = memory.prompts.get(queueId) ?? promptOf('')
    return { type: 'admit', queueId, prompt, runId: randomUUID() as RunId, at }
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
  begin: ({ run, at }) => ({ type: 'begin', run, at }),
  resolve: ({ run, step, at }) => ({ type: 'resolve', run, model: { provider: 'p', id: `m${step.n}` }, at }),
  openPart: ({ content, run, step: { n }, at }) => ({
    type: 'openPart',
    run,
    partIndex: content.run?.partCount ?? n,
    kind: n % 2 === 0 ? 'text' : 'reasoning',
    at,
  }),
  growPart: (situation) => {
    const { partIndex, sofar } = partOf(situation)
    return { type: 'growPart', run: situation.run, partIndex, offset: sofar.length, text: situation.step.text || '.' }
  },
  closePart: (situation) => {
    const { partIndex, sofar } = partOf(situation)
    return { type: 'closePart', run: situation.run, partIndex, text: sofar + situation.step.text, at: situation.at }
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
  const partIndex = open[n % Math.max(1, open.length)]?.partIndex ?? n
  return { partIndex, sofar: memory.texts.get(partIndex) ?? '' }
}

const attachments = [
  { mediaType: 'text/plain', filename: null, url: 'data:,a' },
  { mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGk=' },
]

const outcomes = (message: string): readonly RunOutcome[] => {
  const error = { code: 'A_CODE', message, source: 'model' }
  return [completed, { status: 'FAILED', error }, { status: 'CANCELLED', error }]
}

/** What leads deeper into the life of a run. */
function next({ entries, run, open }: Content, { n }: Step): ContentCommand['type'] {
  if (!run) return entries.length > 0 ? 'admit' : 'enqueue'
  if (run.state.kind === 'resolving') return 'resolve'
  return open.length < 2 ? 'openPart' : (stream[n] ?? 'growPart')
}

const stream = ['growPart', 'closePart', 'growPart', 'endStep'] as const
