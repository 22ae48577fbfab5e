import type { Generation, QueueId, RunId, ScopeId, SessionId, StorageKey } from '../kernel/ids.ts'

/** What an application is told of a delegated run before the run exists. Frozen, in all its parts. */
export interface DelegatedRun {
  /** The scope id under which the run of the parent was asked for. */
  readonly scopeId: ScopeId
  readonly storageKey: StorageKey
  /** The child session, in which the run will be. */
  readonly sessionId: SessionId
  readonly generation: Generation
  readonly queueId: QueueId
  readonly runId: RunId
  /** The call that waits for the run. */
  readonly parent: {
    readonly sessionId: SessionId
    readonly generation: Generation
    readonly queueId: QueueId
    readonly runId: RunId
    readonly toolCallId: string
  }
  /** The call that created the child session: the one of `parent`, or an earlier one. */
  readonly origin: { readonly runId: RunId; readonly toolCallId: string }
  /** The name of the subagent. */
  readonly agent: string
  /** That of the child: 1 for the child of a root. */
  readonly depth: number
  /** Aborts when the run is not wanted any longer. */
  readonly signal: AbortSignal
}

/** What the application holds for a delegated run, such as a working tree or a place in a quota. */
export interface DelegatedRunLease {
  /**
   * Gives it back. Called once the run is over, before its outcome is stored: what it awaits delays the end of the run,
   * for as long as an abort may take at most. Not called while an earlier call is under way, nor after one that succeeded;
   * called again after one that failed.
   */
  close(): Promise<void> | void
}

/**
 * Decides about each delegated run, for quotas, working trees or accounting.
 *
 * Laws:
 * - It is asked when it is the prompt's turn, before anything of the run is stored. What it throws fails the prompt, and
 *   the call of the parent with it.
 * - Once `signal` has aborted nobody waits for the answer. A lease that comes nevertheless is closed.
 * - The same run may ask more than once, with the same description but for the signal: when its process stopped, another
 *   one resumes it. A lease of a process that died is not closed.
 * - A run ends `COMPLETED` only after its lease was closed. A lease that could not be closed is kept, and tried again by
 *   whatever deletes the session, retires or restores the scope, or closes the harness.
 */
export interface DelegatedRunAdmission {
  acquire(run: DelegatedRun): Promise<DelegatedRunLease> | DelegatedRunLease
}
