import type { PermissionSnapshot } from '../domain/event/event.ts'
import type { PermissionId, ScopeKey, StorageKey } from '../kernel/ids.ts'

export interface CancelledRequest {
  readonly scopeKey: ScopeKey
  readonly permission: PermissionSnapshot
}

/** Requests for permission that are new to whoever follows, or have changed: to be read when the update arrives. */
export interface InboxUpdate {
  /** In the order in which they were asked or, later, changed; at most `MAX_INBOX_SHOWN`. */
  readonly permissionIds: readonly PermissionId[]
  /** Of those that were cancelled what was told then, without metadata: a request is erased with its session. */
  readonly cancelled: ReadonlyMap<PermissionId, CancelledRequest>
}

/** A scope, or one in which nothing was stored yet: nothing waits in it. */
export type InboxScope = { readonly scopeKey: ScopeKey } | { readonly storageKey: StorageKey }

export interface LiveInboxes {
  /**
   * Follows the requests of a scope: first those that wait, oldest first, one update at least; then those that were
   * asked or resolved, each once however often it changed while nobody asked. What falls in between may be told twice
   * and is never missed. Requests that an earlier `ALWAYS` lets pass wait for nobody and are not told. Ends with the
   * subscriptions. Returning from the iterator detaches at once. Rejects, or ends, with what the stores or the
   * subscription threw.
   */
  follow(scope: InboxScope): Promise<AsyncIterableIterator<InboxUpdate>>
}
