import type { Generation, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Origin } from '../session/session.ts'

/** A session as the structure of its tree knows it, dead or alive. */
export interface Member {
  readonly key: SessionKey
  readonly sessionId: SessionId
  readonly generation: Generation
  readonly path: string
}

/** A live session, and how often sessions were created or reserved below it: what the deletion of its subtree expects. */
export interface Top extends Member {
  readonly changes: number
}

/** Which call of which session created a child, known for as long as anything of the child is. */
export interface Provenance {
  readonly parent: { readonly sessionId: SessionId; readonly generation: Generation }
  readonly origin: Origin
  readonly agent: string
}

/** The durable mark that a session is being deleted. It lives until every trace of the session is gone. */
export interface Tombstone extends Member {
  readonly scopeKey: ScopeKey
  /** The session whose deletion this is a part of: that of the root of its group. */
  readonly group: SessionKey
  /** Levels below the root of its group. */
  readonly groupDepth: number
  /** Levels below the root of its tree. */
  readonly depth: number
  /** Null for a root. */
  readonly provenance: Provenance | null
  readonly deletedAt: number
  readonly deletedBy: string
  /** The process that executed its run and has not let go of it; null when none did, or it has. */
  readonly owner: string | null
  /** Of the root of a group: whether what waited in the group has been ended. */
  readonly settled: boolean
}

/** The revisions of the scope that a change is. */
export const revisionsOf = (structure: StructureChange | undefined): 0 | 1 =>
  structure && structure.kind !== 'settle' ? 1 : 0

/**
 * What a commit changes of the structure, apart from creating sessions. The first and the last are one revision each.
 * - `reserve`: every session of a subtree becomes a tombstone, if all that was ever changed below its top is known.
 * - `settle`: what still waited in a group is ended, once; nothing else can change the contents of its sessions any more.
 * - `finish`: the tombstones of a group are removed, if they are all there.
 */
export type StructureChange =
  | {
      readonly kind: 'reserve'
      readonly top: Top
      /** The whole live subtree, its top included. */
      readonly members: readonly Member[]
      readonly at: number
      readonly by: string
    }
  | {
      readonly kind: 'settle'
      readonly group: SessionKey
      /** Those of the group that events of the commit are about. */
      readonly members: readonly Member[]
    }
  | {
      readonly kind: 'finish'
      readonly group: SessionKey
      /** The whole group. */
      readonly members: readonly Member[]
    }
