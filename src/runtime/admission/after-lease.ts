import type { RunOutcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Log } from '../../ports/telemetry.ts'
import { type ErrorProjector, projectError } from '../run/project-error.ts'
import type { RunLease } from './run-lease.ts'

export interface AfterLeaseDeps {
  readonly log: Log
  readonly errorProjector?: ErrorProjector
}

/** A run that is about to end. */
export interface EndingRun {
  readonly run: Pick<Run, 'runId'>
  readonly lease: RunLease | null
}

/** Closes the lease of a run that is about to end. The run completes only if that succeeds; any other outcome stays. */
export async function afterLease<O extends RunOutcome | 'lost'>(
  { log, errorProjector }: AfterLeaseDeps,
  { run: { runId }, lease }: EndingRun,
  outcome: O,
): Promise<O | RunOutcome> {
  try {
    await lease?.close()
    return outcome
  } catch (error) {
    log.error({ err: error, runId }, 'the lease of a delegated run could not be closed: trying again later')
    if (outcome === 'lost' || outcome.status !== 'COMPLETED') return outcome
    return { status: 'FAILED', error: projectError(error, 'delegatedRunAdmission', errorProjector) }
  }
}
