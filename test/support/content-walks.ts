import fc from 'fast-check'
import { asQueueId, asRunId, asScopeId, type QueueId, type RunId } from '../../src/kernel/ids.ts'
import { defaultLimits, type Limits } from '../../src/domain/limits.ts'
import type { OpenPart, StreamingKind } from '../../src/domain/message/message.ts'
import type { WhenBusy } from '../../src/domain/prompt/prompt.ts'
import type { RunOutcome } from '../../src/domain/run/outcome.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { Usage } from '../../src/domain/run/usage.ts'
import type { ContentCommand, RunRef } from '../../src/domain/session/commands.ts'
import type { Content } from '../../src/domain/session/content.ts'
import { anyText } from './any-text.ts'
import { completed, emptyContent, failed, type Outcome, outcomeOf, promptOf, refOf } from './content.ts'
import { ContentRows } from './content-rows.ts'
import { toolCommandOf, type ToolWish, toolWishes } from './tool-moves.ts'

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

type Lead = 'nowhere' | 'to generating' | 'into calls'

interface Move {
  readonly type: ContentCommand['type']
  /** Where the walk goes first. */
  readonly leads: Lead
  readonly whose: Whose
  /** Which entry or part: 0 is the one that fits best. */
  readonly pick: number
  readonly text: string
  readonly whenBusy: WhenBusy
  readonly bytes: number
  readonly part: StreamingKind
  readonly outcome: RunOutcome
  readonly usage: Usage
  readonly tool: ToolWish
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
    cancel: 1,
    reject: 1,
    abort: 1,
    begin: 4,
    resolve: 5,
    openPart: 6,
    growPart: 4,
    closePart: 3,
    endStep: 4,
    count: 2,
    resume: 2,
    conclude: 3,
    openTool: 9,
    askPermission: 10,
    respond: 7,
    beginTool: 6,
    delegateTool: 4,
    endTool: 4,
    revokeGrant: 1,
    reconcile: 4,
  }),
  leads: oneOf<Lead>({ nowhere: 6, 'to generating': 4, 'into calls': 3 }),
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
  tool: toolWishes,
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
  /** The run before the current one, or the current one before it was resumed. */
  readonly earlier: RunRef
  /** The text of the parts that are open, which their executor holds. */
  readonly texts: Map<number, string>
  /** What is stored. */
  readonly rows: ContentRows
}

function walkOf(wishes: readonly Move[]): Walk {
  let content = emptyContent
  let earlier: RunRef = { runId: asRunId('another'), epoch: 0 }
  const texts = new Map<number, string>()
  const rows = new ContentRows()
  return wishes.map((move, i) => {
    const walker: Walker = { content, earlier, at: 1000 + i, texts, rows }
    const command = commandOf(walker, move)
    const outcome = outcomeOf(content, [command])
    remember(texts, outcome)
    outcome.writes.forEach((write) => rows.apply(write))
    if (content.run && content.run.epoch !== outcome.after.run?.epoch) earlier = refOf(content)
    content = outcome.after
    return { command, isForeign: isForeign(outcome.before, command), outcome }
  })
}

function remember(texts: Map<number, string>, { events, after }: Outcome): void {
  for (const event of events) {
    if (event.type !== 'partGrown') continue
    const { partIndex } = event.part
    texts.set(partIndex, (texts.get(partIndex) ?? '') + event.text)
  }
  if (!after.run) texts.clear()
}

function isForeign({ run }: Content, command: ContentCommand): boolean {
  if (command.type === 'abort') return command.runId !== null && command.runId !== run?.runId
  return 'run' in command && (command.run.runId !== run?.runId || command.run.epoch !== run.epoch)
}

const commandOf = (walker: Walker, move: Move): ContentCommand =>
  commandFor(walker, { ...move, ...leading(walker.content, move) })

/** What leads to a run that generates, and there from one call to the next change of it. */
function leading({ entries, run, open }: Content, { leads, pick }: Move): Partial<Move> {
  if (leads === 'nowhere') return {}
  if (!run) return { type: entries.length > 0 ? 'admit' : 'enqueue', pick: 0 }
  if (run.state.kind === 'resolving') return { type: 'resolve', whose: 'current' }
  return leads === 'into calls' ? { type: intoCalls(run, open, pick), whose: 'current', pick: 0 } : {}
}

function intoCalls({ stepFrom }: Run, open: readonly OpenPart[], pick: number): ContentCommand['type'] {
  const calls = open.filter((part) => part.kind === 'tool')
  const [first] = calls
  if (!first || calls.length < 2) return 'openTool'
  if (first.partIndex >= stepFrom) return pick === 0 ? 'endStep' : 'beginTool'
  const { kind } = first.state
  if (kind === 'pending') return 'beginTool'
  if (kind === 'unknown') return 'reconcile'
  return pick === 0 ? 'resume' : pick === 1 ? 'conclude' : 'beginTool'
}

function commandFor(walker: Walker, move: Move): ContentCommand {
  const { content, at, texts, rows } = walker
  const { type, pick, text, whenBusy, bytes, part: kind, outcome, usage } = move
  const run = refFor(walker, move.whose)
  const request = { kind: 'requested', message: `at ${at}`, by: 'bob', at } as const
  const partIndex = content.open[pick]?.partIndex ?? pick
  switch (type) {
    case 'enqueue':
      return { type, ...promptAt(at), ...asked, whenBusy, bytes }
    case 'admit':
      return { type, ...promptAt(at), queueId: queueIdOf(content, pick, 'queued'), runId: runIdAt(at), owner: 'a server' }
    case 'cancel':
      return { type, queueId: queueIdOf(content, pick), request }
    case 'reject':
      return { type, queueId: queueIdOf(content, pick), error: failed.error, at }
    case 'abort':
      return { type, runId: pick === 0 ? null : run.runId, request }
    case 'resume':
      return { type, run, owner: `server ${at}`, texts: new Map(texts), at }
    case 'begin':
      return { type, run, at }
    case 'resolve':
      return { type, run, model: { provider: 'offline', id: 'echo' }, at }
    case 'openPart':
      return { type, run, partIndex: (content.run?.partCount ?? 0) + (pick % 3 === 2 ? -1 : pick % 3), kind, at }
    case 'growPart':
      return { type, run, partIndex, offset: texts.get(partIndex)?.length ?? 0, text: `${text}.` }
    case 'closePart':
      return { type, run, partIndex, text: (texts.get(partIndex) ?? '') + text, at }
    case 'endStep':
      return { type, run, output: { text }, usage, at }
    case 'count':
      return { type, run, workedMs: bytes, at }
    case 'conclude':
      return { type, run, outcome, texts: new Map(texts), at }
    case 'openTool':
    case 'askPermission':
    case 'respond':
    case 'beginTool':
    case 'delegateTool':
    case 'endTool':
    case 'revokeGrant':
    case 'reconcile':
      return toolCommandOf({ content, rows, run, pick, at }, type, move.tool)
  }
}

const asked = { scopeId: asScopeId('tenant'), clientRequestId: null, delegation: null, by: 'ann', limits: walkLimits } as const

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
