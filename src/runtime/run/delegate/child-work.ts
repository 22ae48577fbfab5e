import type { Child } from '../../../domain/delegation/delegation.ts'
import type { RunOutcome } from '../../../domain/run/outcome.ts'
import type { AbortRequest, Run } from '../../../domain/run/run.ts'
import type { ScopeKey, SessionKey } from '../../../kernel/ids.ts'

/** What a run asks of the runtime about the children that it waits for. */
export interface ChildWork {
  /** The key of a session that will be. */
  nextKey(): Promise<SessionKey>
  /** Lets a prompt run that has just been delegated, with the context of the run that delegated it. Never rejects. */
  begin(child: Child, context: unknown): Promise<void>
  /** Goes on with what an earlier attempt of the run has left of a child. Rejects as the stores do. */
  takeUp(child: Child, context: unknown): Promise<void>
  /**
   * Takes the child's prompt out of its queue, or asks its run to stop; nothing else of its session. Rejects as the stores do
   * when nothing here will end it.
   */
  stop(child: Child, request: AbortRequest): Promise<void>
  /** Whether a prompt of the child's session stands in line, or is executed, here. */
  isUnderWay(child: Child): boolean
  /** Whether no prompt of the scope begins here any more, because what runs is about to be told to stop. */
  isRefused(scopeKey: ScopeKey): boolean
  /** Ends a child that nothing here has taken up, as its parent ends like this. Rejects as the stores do. */
  end(child: Child, parent: Run, outcome: RunOutcome): Promise<void>
  /** Forgets the context of a prompt that is over. */
  forget(child: Child): void
}
