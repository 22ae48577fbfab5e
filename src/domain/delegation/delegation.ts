import type { Generation, GenerationId, QueueId, RunId, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { ModelIdentity } from '../run/run.ts'

/** Which call a prompt of a subagent's session is executed for. */
export interface Delegation {
  readonly parentKey: SessionKey
  readonly parentSessionId: SessionId
  readonly parentGeneration: Generation
  readonly parentQueueId: QueueId
  readonly parentRunId: RunId
  /** The call within that run. */
  readonly toolCallId: string
}

/** Where a call has delegated its task to: an exact generation of a session, and the exact prompt in it. */
export interface Child {
  readonly sessionKey: SessionKey
  readonly sessionId: SessionId
  readonly generationId: GenerationId
  readonly queueId: QueueId
  /** The model that answered; null until the call has ended, and when none was resolved. */
  readonly model: ModelIdentity | null
}
