import type { ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Session, SessionStatus } from '../../domain/session/session.ts'
import type { Usage } from '../../domain/run/usage.ts'
import type { Purge } from './purge.ts'

/** A session with what is rolled up over its subtree. */
export interface StoredSession extends Session {
  readonly tree: {
    /** Its own usage and that of all descendants, deleted ones included. */
    readonly usage: Usage
    readonly descendants: number
  }
}

export interface SessionFilter {
  readonly rootsOnly?: boolean
  readonly status?: SessionStatus
  readonly agent?: string
  /** Ignores the case of ASCII letters. */
  readonly titleContains?: string
  /** Inclusive. */
  readonly updatedSince?: number
}

/** A status with outstanding prompts or a run. */
export type UnsettledStatus = Exclude<SessionStatus, 'IDLE'>

/** Where a page of sessions by newest activity goes on. Says nothing that is not of their scope. */
export interface SessionPosition {
  readonly updatedAt: number
  readonly generationSequence: number
}

export interface ChildrenQuery {
  readonly parentKey: SessionKey
  readonly after?: SessionPosition
  readonly limit: number
}

export interface DescendantsQuery {
  readonly scopeKey: ScopeKey
  /** The path of the session whose descendants are asked for. */
  readonly path: string
  /** Levels below it. */
  readonly maxDepth?: number
  /** The path after which the page begins. */
  readonly after?: string
  readonly limit: number
}

/** Lists are newest activity first, ties by generation sequence descending, unless they say otherwise. */
export interface SessionStore extends Purge {
  find(scopeKey: ScopeKey, sessionId: SessionId): Promise<StoredSession | undefined>
  /** Those of the sessions that exist, in any order. */
  findMany(keys: readonly SessionKey[]): Promise<readonly StoredSession[]>
  /** Those of the sessions that exist, by the scope revision that created them, in any order. */
  findBySequence(scopeKey: ScopeKey, generationSequences: readonly number[]): Promise<readonly StoredSession[]>
  page(query: {
    readonly scopeKey: ScopeKey
    readonly filter: SessionFilter
    readonly after?: SessionPosition
    readonly limit: number
  }): Promise<readonly StoredSession[]>
  /** How many sessions match, counted no further than `cap`. */
  count(scopeKey: ScopeKey, filter: SessionFilter, cap: number): Promise<number>
  /** One page of children for each of the queries, in one statement however many there are; answers in their order. */
  children(queries: readonly ChildrenQuery[]): Promise<readonly (readonly StoredSession[])[]>
  /** How many children each of the sessions has, in their order. */
  countChildren(parents: readonly SessionKey[]): Promise<readonly number[]>
  /** All descendants by path, which lists every parent before its children. */
  descendants(query: DescendantsQuery): Promise<readonly StoredSession[]>
  /** The heaviest status in each of these subtrees, by its path; those that are idle as a whole are left out. One statement. */
  subtreeStatuses(scopeKey: ScopeKey, paths: readonly string[]): Promise<ReadonlyMap<string, UnsettledStatus>>
  /** Sessions of any scope that have outstanding prompts or a run, by key, after `after`. */
  unsettled(after: SessionKey | undefined, limit: number): Promise<readonly StoredSession[]>
  /** Reserves `count` row keys that nobody else ever gets. Returns the first; the others follow it. */
  reserveKeys(count: number): Promise<SessionKey>
}
