import type { MessageId, RunId, ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { RunOutcome } from '../domain/run/outcome.ts'

/** What changed in a run that is being watched. */
export interface LiveRunUpdate {
  readonly runId: RunId
  readonly status: 'RUNNING' | RunOutcome['status']
  /**
   * First all messages of the run and of those to which it has delegated, afterwards those that changed: to be read when the
   * update arrives. A run's own come before those of the runs that it delegated to later, each run's oldest first.
   */
  readonly messageIds: readonly MessageId[]
}

/** The session whose run is watched. */
export interface LiveRunSession {
  readonly scopeKey: ScopeKey
  readonly key: SessionKey
  readonly path: string
}

export interface LiveRuns {
  /**
   * Follows the active run of a session, with the runs to which it delegates, directly and below: all messages, then only
   * changed ones, at most ten updates a second. The
   * last update has the terminal status, then the iterator ends. While prompts only wait, it waits for the next run;
   * when the session is idle it tells of its last run and ends; of a session without any run it tells nothing.
   * Returning from the iterator detaches at once. Rejects, or ends, with what the stores or the subscription threw.
   */
  follow(session: LiveRunSession): Promise<AsyncIterableIterator<LiveRunUpdate>>
}
