/** Which sessions exist and which are being deleted. Rows are changed by the unit of work alone, but for `letGo`. */
import type { Member, Tombstone } from '../../domain/deletion/tombstone.ts'
import { isWithin } from '../../domain/session/session.ts'
import type { StoredSession } from '../../ports/stores/sessions.ts'
import type { StructureStore, TombstoneRef } from '../../ports/stores/structure.ts'
import { changesBelow } from './apply-structure.ts'
import { type MemoryTables, sessionByKey } from './memory-tables.ts'

export function memoryStructure(tables: MemoryTables): StructureStore {
  const { sessions, tombstones } = tables
  return {
    async slot(scopeKey, sessionId) {
      const live = sessions.get(scopeKey, sessionId)
      if (live) return { kind: 'live', key: live.key }
      const dead = tombstones.get(scopeKey, sessionId)
      return dead ? { kind: 'tombstoned', key: dead.key, group: dead.group } : { kind: 'absent' }
    },

    async top(key) {
      const session = sessions.byId(sessionByKey(key))
      return session && { ...memberOf(session), changes: changesBelow(tables, key) }
    },

    async members({ scopeKey, path, after, limit }) {
      const within = sessions.of(scopeKey).filter(({ place }) => isWithin(path, place.path))
      return pageOf(within.map(memberOf), after, limit)
    },

    async tombstones({ scopeKey, path = '', after, limit }) {
      return pageOf(
        tombstones.of(scopeKey).filter((tombstone) => isWithin(path, tombstone.path)),
        after,
        limit,
      )
    },

    async tombstonesOf(keys) {
      return [...new Set(keys)].flatMap((key) => tombstones.byId(sessionByKey(key)) ?? [])
    },

    async group({ group, after, limit }) {
      return pageOf(tombstones.in(String(group)), after, limit)
    },

    async groups({ scopeKey, after, limit }) {
      const rows = scopeKey === undefined ? tombstones.all() : tombstones.of(scopeKey)
      const tops = rows.filter(({ key, group }) => key === group && (after === undefined || key > after))
      return tops.toSorted(byKey).slice(0, limit).map(refOf)
    },

    async heldBy(owner, limit) {
      const held = tombstones.all().filter((tombstone) => tombstone.owner === owner)
      return held.toSorted(byKey).slice(0, limit).map(refOf)
    },

    async letGo(owner, keys) {
      for (const key of keys) {
        const row = tombstones.byId(sessionByKey(key))
        if (row?.owner === owner) tombstones.update({ ...row, owner: null })
      }
    },
  }
}

const memberOf = ({ key, sessionId, generation, place }: StoredSession): Member => ({
  key,
  sessionId,
  generation,
  path: place.path,
})

const refOf = ({ scopeKey, key }: Tombstone): TombstoneRef => ({ scopeKey, key })

const byKey = (a: Tombstone, b: Tombstone): number => a.key - b.key

const pageOf = <T extends Member>(rows: readonly T[], after: string | undefined, limit: number): readonly T[] =>
  rows
    .filter(({ path }) => after === undefined || path > after)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, limit)
