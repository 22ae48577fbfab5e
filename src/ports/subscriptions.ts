import type { ScopeKey, SessionKey, StorageKey } from '../kernel/ids.ts'
import type { EventType, HarnessEvent, PartAddress } from '../domain/event/event.ts'
import type { ActivityChange, Delta, SessionRef } from './event-transport.ts'
import type { StreamingKind } from '../domain/message/message.ts'

/** What a subscriber of events receives, in an order in which it can be applied. */
export type EventUpdate =
  | { readonly type: 'event'; readonly event: HarnessEvent }
  | { readonly type: 'delta'; readonly delta: Delta }
  /** The text so far of a part that is streaming; deltas go on from there. */
  | {
      readonly type: 'snapshot'
      readonly session: SessionRef
      readonly address: PartAddress
      readonly kind: StreamingKind
      readonly text: string
      readonly totalBytes: number
      readonly timestamp: number
    }
  | { readonly type: 'activity'; readonly activity: ActivityChange; readonly timestamp: number }
  /** Nothing that matches happened up to `sequence`: a cursor that does not expire while a subscription is quiet. */
  | { readonly type: 'advanced'; readonly sequence: number; readonly timestamp: number }

export interface EventsSubscription {
  readonly scopeKey: ScopeKey
  /** Only this session, and its descendants if asked; the whole scope when absent. */
  readonly session?: { readonly key: SessionKey; readonly path: string; readonly includeDescendants: boolean }
  /** Only these durable events; all when absent. Deltas, snapshots and activity are governed by `deltas`. */
  readonly types?: readonly EventType[]
  /** The last sequence that the subscriber has seen; only what is new when absent. */
  readonly after?: number
  readonly deltas: boolean
}

/** The events of a whole scope in which nothing has been stored yet. */
export interface SubscriptionToCome extends Pick<EventsSubscription, 'types' | 'deltas'> {
  readonly storageKey: StorageKey
}

/** Why a subscription cannot begin or go on. */
export class CursorExpired extends Error {
  override readonly name = 'CursorExpired'
}

export interface Subscriptions {
  /**
   * Everything after `after`, then live, without a gap or a duplicate, then for each part that is streaming a snapshot.
   * Attached when the promise resolves: nothing committed later is missed. Rejects with `CursorExpired` when the log no
   * longer reaches back to `after`. Returning from the iterator detaches at once.
   */
  events(subscription: EventsSubscription): Promise<AsyncIterableIterator<EventUpdate>>
  /** The same from the first event of a scope on that need not exist yet. Creates nothing. */
  eventsToCome(subscription: SubscriptionToCome): Promise<AsyncIterableIterator<EventUpdate>>
  /** A live part's text so far; undefined when the part does not stream in this process. */
  liveText(address: { readonly sessionKey: SessionKey; readonly messageIndex: number; readonly partIndex: number }): string | undefined
  /** Subscribers that are attached, for tests and metrics. */
  readonly size: number
  /** Ends every subscription that is attached in the scope. */
  endIn(scopeKey: ScopeKey): void
  /** Ends every subscription. */
  close(): void
}
