/**
 * What becomes of sessions whose process is gone: their run goes on, or is ended; then their queue does.
 *
 * Owns nothing. Invariants:
 * - A run is resumed by one process only: the resumption raises the epoch under the compare-and-set of its session, as it
 *   was when nobody took care of it, and what the run needs is read before that compare-and-set.
 * - Parents are decided before their children: these go on when their call waits for them again, and end when it is over.
 * - A session that does not fit into its tree is reported, and its run is ended; nothing follows what is above it.
 * - A run that cannot be resumed, was resumed too often, or was asked to stop is ended durably.
 */
import { MAX_ATTEMPTS } from '../domain/limits.ts'
import { isStreaming, type Part } from '../domain/message/message.ts'
import { damaged, interrupted, type RunOutcome } from '../domain/run/outcome.ts'
import { abortOf, type Run } from '../domain/run/run.ts'
import type { Content } from '../domain/session/content.ts'
import type { Clock } from '../ports/clock.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Admitter } from './admitter.ts'
import type { Children } from './children.ts'
import { damageOf } from './damage-of.ts'
import { delegatedTokens } from './run/delegated-tokens.ts'
import type { ScopeLives } from './scope-lives.ts'
import type { RecoveryPolicy } from './recovery-policy.ts'
import type { RunStops } from './run-stops.ts'
import type { Plan, SessionActor } from './session-actor.ts'
import { sessionRefOf } from './session-ref.ts'

export interface RecoveryDeps {
  readonly stores: Pick<Stores, 'queue' | 'messages' | 'runs' | 'sessions'>
  readonly clock: Clock
  readonly log: Log
  readonly admitter: Admitter
  readonly children: Children
  readonly stops: RunStops
  readonly lives: ScopeLives
  readonly policy: RecoveryPolicy
  /** This process. */
  readonly owner: string
  /** Whether this process executes the run: then nothing has to be done. */
  readonly isOurs: (run: Run) => boolean
}

/**
 * Goes on with a session, or ends its run, and goes on with its queue. Where others may do so as well, only if it still has
 * the `revision` that was seen to be abandoned. Rejects as the stores do; then it can be repeated.
 */
export async function recover(deps: RecoveryDeps, actor: SessionActor, revision?: number): Promise<void> {
  const { admitter } = deps
  let resuming: Run | undefined
  // What this process keeps of the session may be older than what was seen, or than what a parent has changed.
  actor.forget()
  try {
    const change = await actor.transact(async (content): Promise<Plan<Content | null>> => {
      const { run } = content
      if (resuming) admitter.withdraw(resuming.runId)
      resuming = undefined
      if (revision !== undefined && content.session.revision !== revision) return { kind: 'answer', value: null }
      if (run && deps.isOurs(run)) return { kind: 'answer', value: content }
      const damage = await damageOf(deps.stores, content.session)
      if (damage !== undefined) deps.log.error({ ...sessionRefOf(content.session), damage }, 'a session is damaged')
      if (!run) return { kind: 'answer', value: content }
      const end = (outcome: RunOutcome) => deps.stops.end(content, run, outcome)
      if (damage !== undefined) {
        return { kind: 'change', commands: [await end(damaged(content.session.sessionId, damage))] }
      }
      const standing = await standingOf(deps, content, run)
      // Whoever takes its parent takes it up as well.
      if (standing === 'left') return { kind: 'answer', value: content }
      const parts = await partsOf(deps, run)
      const refused = standing === 'disowned' ? interrupted : await prepare(deps, { content, run, parts })
      const ref = { run: { runId: run.runId, epoch: run.epoch }, texts: textsOf(parts), at: deps.clock.now() }
      if (refused) return { kind: 'change', commands: [await end(refused)] }
      resuming = run
      const unless = () => deps.lives.of(content.session.scopeKey).refusal
      return { kind: 'change', commands: [{ type: 'resume', ...ref, owner: deps.owner }], unless }
    })
    if (change.kind === 'answered' && change.value) admitter.attend(actor.key, change.value)
  } finally {
    if (resuming) admitter.withdraw(resuming.runId)
  }
}

/** Whether a run may go on here. One that was delegated goes on where its call waits for it, and not without that call. */
async function standingOf({ children }: RecoveryDeps, { session, entries }: Content, run: Run): Promise<'here' | 'left' | 'disowned'> {
  const entry = entries.find(({ queueId }) => queueId === run.queueId)
  const delegation = entry?.delegation
  if (!delegation) return 'here'
  if ((await children.whyDisowned(session, { queueId: run.queueId, delegation })) !== undefined) return 'disowned'
  return children.isAwaited(run) ? 'here' : 'left'
}

interface Interrupted {
  readonly content: Content
  readonly run: Run
  readonly parts: readonly Part[]
}

/** Gets what the run needs to go on; the outcome with which it ends when it cannot. */
async function prepare(deps: RecoveryDeps, { content, run, parts }: Interrupted): Promise<RunOutcome | undefined> {
  const { stores, admitter, policy } = deps
  if (policy === 'FAIL' || run.attempts >= MAX_ATTEMPTS || abortOf(run)) return interrupted
  const entry = content.entries.find(({ queueId }) => queueId === run.queueId)
  const prompt = entry && (await stores.queue.prompt(content.session.key, entry.ordinal))
  if (!prompt) return damaged(content.session.sessionId, `the prompt of its run ${run.runId} is not there`)
  const resolved = await admitter.claims.contextOf(entry)
  if (!resolved.ok) return { status: 'FAILED', error: resolved.error }
  const lease = await admitter.claims.leaseOf(content.session, entry, run.runId)
  const left = { parts, delegatedTokens: await delegatedTokens(stores, parts) }
  admitter.prepareToResume(run.runId, { prompt, context: resolved.context, lease, left })
  return undefined
}

const partsOf = ({ stores }: RecoveryDeps, { sessionKey, assistantMessageIndex: index }: Run): Promise<readonly Part[]> =>
  stores.messages.parts([{ sessionKey, index }])

const textsOf = (parts: readonly Part[]): ReadonlyMap<number, string> =>
  new Map(parts.map(({ partIndex, body }) => [partIndex, isStreaming(body) ? body.text : '']))
