import type { Delegation } from '../../domain/delegation/delegation.ts'
import type { Prompt } from '../../domain/prompt/prompt.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Session } from '../../domain/session/session.ts'
import type { RunLease } from '../admission/run-lease.ts'
import type { RunSlot } from '../run-slot.ts'
import type { SessionActor } from '../session-actor.ts'
import type { Past } from './past.ts'

export interface RunJob {
  readonly run: Run
  readonly session: Session
  readonly prompt: Prompt
  /** The call that it is executed for; null for what clients enqueue. */
  readonly delegation: Delegation | null
  /** What the application's resolver gave for the scope. */
  readonly context: unknown
  readonly actor: SessionActor
  readonly slot: RunSlot
  /** Of a delegated run, where the application has a say. One that is resumed has yet to ask for it. */
  readonly lease: RunLease | null
  /** What earlier attempts have left. */
  readonly past: Past
  /** Tokens of the runs that they have delegated to, and of those below. */
  readonly delegatedTokens: number
  readonly signal: AbortSignal
  /** Aborted when the end of the run is not to be tried any longer. */
  readonly patience: AbortSignal
}
