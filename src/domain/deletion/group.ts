import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { EventDraft } from '../event/event.ts'
import { noUsage } from '../run/usage.ts'
import { prefixesOf } from '../session/session.ts'
import type { RollUp } from '../session/writes.ts'
import { childrenFirst } from './order.ts'
import type { Member, StructureChange, Tombstone, Top } from './tombstone.ts'

/** Everything that the deletion of a subtree has to know of it. */
export interface Subtree {
  readonly top: Top
  /** The live sessions, the top included. */
  readonly members: readonly Member[]
  /** Sessions below whose deletion has begun before. */
  readonly tombstones: readonly Tombstone[]
}

export interface Deleting {
  readonly at: number
  readonly by: string
}

/** Puts every live session of a subtree into one group. */
export const reservationOf = ({ top, members }: Subtree, { at, by }: Deleting): StructureChange => ({
  kind: 'reserve',
  top,
  members,
  at,
  by,
})

/** What the ancestors of a subtree lose. What its sessions have spent stays counted. */
export function lossOf(scopeKey: ScopeKey, { top, members }: Subtree): RollUp {
  const paths = prefixesOf(top.path).slice(0, -1)
  return { scopeKey, paths, usage: noUsage, descendants: -members.length }
}

/** Removes the tombstones of a whole group, and reports each, children first. */
export function finishOf(
  group: SessionKey,
  tombstones: readonly Tombstone[],
  at: number,
): { readonly structure: StructureChange; readonly events: readonly EventDraft[] } {
  const members = childrenFirst(tombstones)
  return {
    structure: { kind: 'finish', group, members: members.map(memberOf) },
    events: members.map((tombstone) => announceDeletion(tombstone, at)),
  }
}

/** The groups that hang below a group, the deepest first. They are finished before it. */
export function groupsBelow(group: SessionKey, tombstones: readonly Tombstone[]): readonly SessionKey[] {
  const others = tombstones.filter((tombstone) => tombstone.group !== group)
  return [...new Set(childrenFirst(others).map((tombstone) => tombstone.group))]
}

export const memberOf = ({ key, sessionId, generation, path }: Member): Member => ({ key, sessionId, generation, path })

/** Says who a session was, and nothing of what it contained. */
const announceDeletion = ({ key, depth, provenance, deletedBy }: Tombstone, timestamp: number): EventDraft => ({
  sessionKey: key,
  timestamp,
  body: {
    type: 'session.deleted',
    agent: provenance?.agent ?? null,
    depth,
    parentSessionId: provenance?.parent.sessionId ?? null,
    deletedBy,
  },
})
