import type { ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Member, Tombstone, Top } from '../../domain/deletion/tombstone.ts'
import type { Slot } from '../../domain/scope/structure.ts'

export interface MembersQuery {
  readonly scopeKey: ScopeKey
  /** The path of the session with whose subtree the page is about. */
  readonly path: string
  /** The path after which the page begins. */
  readonly after?: string
  readonly limit: number
}

export interface TombstonesQuery {
  readonly scopeKey: ScopeKey
  /** Only those of sessions at or below this path. */
  readonly path?: string
  /** The path after which the page begins. */
  readonly after?: string
  readonly limit: number
}

/** Names a session that is being deleted. */
export interface TombstoneRef {
  readonly scopeKey: ScopeKey
  readonly key: SessionKey
}

/**
 * Which sessions exist and which are being deleted. Lists are by path, which lists every parent before its children.
 * Reads see what is durable, one statement each: who decides on several names in his commit what he has seen.
 */
export interface StructureStore {
  /** What is known of an id. Says `absent` only if it was at some moment of the call. */
  slot(scopeKey: ScopeKey, sessionId: SessionId): Promise<Slot>
  /** The session at the top of a subtree, if it lives. */
  top(key: SessionKey): Promise<Top | undefined>
  /** The live sessions of a subtree, its top included. */
  members(query: MembersQuery): Promise<readonly Member[]>
  tombstones(query: TombstonesQuery): Promise<readonly Tombstone[]>
  /** Those of the sessions that are being deleted, in any order. */
  tombstonesOf(keys: readonly SessionKey[]): Promise<readonly Tombstone[]>
  /** The tombstones of a group. */
  group(query: { readonly group: SessionKey; readonly after?: string; readonly limit: number }): Promise<readonly Tombstone[]>
  /** The tops of groups, by key, after `after`; of one scope, or of all. */
  groups(query: {
    readonly scopeKey?: ScopeKey
    readonly after?: SessionKey
    readonly limit: number
  }): Promise<readonly TombstoneRef[]>
  /** Tombstones of whose sessions this process executed runs, by key, at most `limit`. */
  heldBy(owner: string, limit: number): Promise<readonly TombstoneRef[]>
  /** Says that a process executes nothing of these sessions any more. */
  letGo(owner: string, keys: readonly SessionKey[]): Promise<void>
}
