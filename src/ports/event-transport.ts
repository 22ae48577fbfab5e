import type { Generation, RunId, ScopeKey, SessionId, SessionKey } from '../kernel/ids.ts'
import type { HarnessEvent, PartAddress } from '../domain/event/event.ts'
import type { StreamingKind } from '../domain/message/message.ts'
import type { ActivityKind } from '../domain/session/session.ts'

/** The session that an ephemeral signal is about. */
export interface SessionRef {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  readonly sessionId: SessionId
  readonly generation: Generation
  readonly path: string
}

/** A piece that a streaming part gained. Published only after its `part.created` is durable, and before its `part.completed`. */
export interface Delta {
  readonly session: SessionRef
  readonly address: PartAddress
  readonly kind: StreamingKind
  readonly delta: string
  /** UTF-8 bytes of the part before and after. */
  readonly baseBytes: number
  readonly totalBytes: number
  readonly timestamp: number
}

export interface ActivityChange {
  readonly session: SessionRef
  readonly kind: ActivityKind
  readonly runId: RunId | null
  readonly since: number
}

export type Signal =
  /** The log of the scope has grown to `head`. `events` may hold what was added, gap-free up to `head`, or nothing. */
  | { readonly type: 'grown'; readonly scopeKey: ScopeKey; readonly head: number; readonly events: readonly HarnessEvent[] }
  | { readonly type: 'delta'; readonly delta: Delta }
  | { readonly type: 'activity'; readonly activity: ActivityChange }

/**
 * Wakes the tails of event logs and carries deltas, which alone travel outside the log. May lose, repeat or delay `grown`
 * signals freely: a tail reads the log. A listener that throws harms nobody else.
 */
export interface EventTransport {
  publish(signal: Signal): void
  /** Calls `listener` for each signal until the result is called. */
  listen(listener: (signal: Signal) => void): () => void
}
