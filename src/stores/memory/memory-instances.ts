/** The processes that share these stores, and the sessions of which nobody takes care. */
import type { StoredSession } from '../../ports/stores/sessions.ts'
import { statusOf } from '../../domain/session/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { InstanceStore } from '../../ports/stores/instances.ts'
import { type MemoryTables, sessionByKey } from './memory-tables.ts'

export function memoryInstances({ sessions, tombstones }: MemoryTables, clock: Pick<Clock, 'now'>): InstanceStore {
  const leases = new Map<string, number>()
  const isAlive = (owner: string): boolean => (leases.get(owner) ?? -Infinity) > clock.now()
  const isAbandoned = ({ owner, updatedAt }: StoredSession, idleMs: number): boolean =>
    owner === null ? updatedAt <= clock.now() - idleMs : !isAlive(owner)
  return {
    async renew(owner, ttlMs) {
      leases.set(owner, clock.now() + ttlMs)
    },

    async leave(owner) {
      leases.delete(owner)
    },

    async abandoned({ idleMs, after, limit }) {
      return sessions
        .all()
        .filter((session) => statusOf(session) !== 'IDLE' && (after === undefined || session.key > after))
        .filter((session) => isAbandoned(session, idleMs))
        .map(({ key, revision, owner }) => ({ key, revision, hasRun: owner !== null }))
        .toSorted((a, b) => a.key - b.key)
        .slice(0, limit)
    },

    async isHeld({ group, except, graceMs }) {
      const holds = (owner: string | null): boolean =>
        owner !== null && owner !== except && (leases.get(owner) ?? -Infinity) > clock.now() - graceMs
      return tombstones.in(String(group)).some(({ owner }) => holds(owner))
    },

    async versions(keys) {
      return [...new Set(keys)].flatMap((key) => {
        const session = sessions.byId(sessionByKey(key))
        return session ? [{ key, revision: session.revision }] : []
      })
    },
  }
}
