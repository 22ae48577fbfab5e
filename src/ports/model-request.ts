import type { GenerationId, RunId, ScopeId, SessionId } from '../kernel/ids.ts'

/** What a run tells when it asks for its model. Frozen. */
export interface ModelRequest {
  readonly scopeId: ScopeId
  /** What the application's scope resolver gave for the scope id. */
  readonly context: unknown
  readonly sessionId: SessionId
  readonly generationId: GenerationId
  readonly runId: RunId
  /** Of a run that another one has delegated to; null otherwise, as is `agent`. */
  readonly parentSessionId: SessionId | null
  /** The name of the subagent. */
  readonly agent: string | null
  /** `provider:model`, or null for the default. */
  readonly modelHint: string | null
  readonly signal: AbortSignal
}
