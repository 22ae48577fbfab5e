import type { OpenTool } from '../../domain/message/message.ts'
import { abortOf, type Run } from '../../domain/run/run.ts'
import { endedBy } from '../../domain/run/machine.ts'
import type { RunOutcome } from '../../domain/run/outcome.ts'
import type { ContentCommand } from '../../domain/session/commands.ts'
import type { Content } from '../../domain/session/content.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { SessionActor } from '../session-actor.ts'
import { childModels } from './delegate/child-models.ts'
import type { ChildWork } from './delegate/child-work.ts'
import { isOurs } from './is-ours.ts'

export interface Ending {
  readonly run: Run
  readonly actor: SessionActor
  readonly outcome: RunOutcome
  /** The text so far of each part that is open. */
  readonly texts: ReadonlyMap<number, string>
  /** The calls that an earlier attempt has left: their children end first. */
  readonly left: readonly OpenTool[]
  /** What becomes durable in the same change. */
  readonly before: readonly ContentCommand[]
  /** Aborted when the end is not to be tried any longer. */
  readonly patience: AbortSignal
}

export interface EndingDeps {
  readonly clock: Clock
  readonly log: Log
  readonly work: Pick<ChildWork, 'end'>
  readonly stores: Pick<Stores, 'sessions' | 'queue' | 'runs'>
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 5_000

/** Ends a run durably, trying until it can be stored, and says how; undefined when it was no longer ours. */
export async function endRun(
  { clock, log, work, stores }: EndingDeps,
  { run, actor, outcome, texts, left, before, patience }: Ending,
): Promise<RunOutcome['status'] | 'unended' | undefined> {
  const { runId, epoch } = run
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const children = left.flatMap(({ child }) => child ?? [])
      if (children.length > 0 && !(await isOurs(stores, actor.key, run))) return undefined
      for (const child of children) await work.end(child, run, outcome)
      const models = await childModels(stores, left)
      const end = { type: 'conclude', run: { runId, epoch }, outcome, texts, childModels: models, at: clock.now() } as const
      const [first, ...rest] = [...before, end] as const
      const change = await actor.ask(first ?? end, ...rest)
      if (change.kind === 'changed') return statusOf(change.before, outcome)
      if (change.kind !== 'contended') return undefined
    } catch (error) {
      log.error({ err: error, runId }, 'the end of a run could not be stored')
      if (error instanceof StoreFailure && error.failure === 'fatal') return 'unended'
    }
    await clock.sleep(pause, patience).catch(() => undefined)
    if (patience.aborted) return 'unended'
  }
}

/** A request to stop that was durable before has the last word. */
function statusOf({ run }: Content, outcome: RunOutcome): RunOutcome['status'] {
  const abort = run && abortOf(run)
  return abort ? endedBy(abort).status : outcome.status
}
