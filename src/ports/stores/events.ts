import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { EventType, HarnessEvent } from '../../domain/event/event.ts'
import type { Purge } from './purge.ts'

export interface EventFilter {
  /** Only events of this session, and of its descendants if asked. */
  readonly session?: { readonly key: SessionKey; readonly path: string; readonly includeDescendants: boolean }
  readonly types?: readonly EventType[]
}

export interface EventsQuery {
  readonly scopeKey: ScopeKey
  readonly filter: EventFilter
  /** Exclusive. */
  readonly after: number
  readonly limit: number
}

export interface EventPage {
  readonly events: readonly HarnessEvent[]
  /** Nothing that matches lies between the last event of the page and this sequence. */
  readonly scannedTo: number
}

/**
 * The log of a scope. `purge` blanks what events of the sessions say, but for `session.deleted`, which says nothing of what
 * they contained: the numbered rows stay, and reading skips them.
 */
export interface EventStore extends Purge {
  /** Newest and oldest sequence that the log holds: events in `(floor, head]`. */
  bounds(scopeKey: ScopeKey): Promise<{ readonly head: number; readonly floor: number }>
  /**
   * Oldest first. Looks at a bounded number of rows, so a page may be short, or empty, before the end: see `scannedTo`.
   * With a session these are rows of its own, with its descendants rows of its tree: there may be any number of others.
   */
  read(query: EventsQuery): Promise<EventPage>
  /**
   * Removes events older than `before`, or beyond the newest `keep`, at most `limit`, oldest first, and raises the floor
   * in the same transaction. Returns how many.
   */
  prune(scopeKey: ScopeKey, policy: { readonly before: number; readonly keep: number; readonly limit: number }): Promise<number>
}
