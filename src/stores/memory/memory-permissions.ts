/** Requests for permission and grants of all sessions. Rows are changed by the unit of work alone. */
import type { Grant } from '../../domain/permission/grant.ts'
import type { Permission } from '../../domain/permission/permission.ts'
import type { SessionKey } from '../../kernel/ids.ts'
import type { PermissionPosition, PermissionStore } from '../../ports/stores/permissions.ts'
import { type MemoryTables, sessionByKey } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryPermissions({ permissions, grants, ...tables }: MemoryTables): PermissionStore {
  const oldestFirst = (session: SessionKey) => permissions.of(session).toSorted((a, b) => a.ordinal - b.ordinal)
  return {
    async findMany(ids) {
      return [...new Set(ids)].flatMap((id) => permissions.byId(id) ?? [])
    },

    async pending(sessions) {
      return [...new Set(sessions)].flatMap((session) => oldestFirst(session).filter(isPending))
    },

    async latest(sessions, limit) {
      return [...new Set(sessions)].flatMap((session) => oldestFirst(session).toReversed().slice(0, limit))
    },

    async ofRuns(runs) {
      const wanted = new Set(runs)
      return permissions
        .all()
        .filter(({ runId }) => wanted.has(runId))
        .toSorted((a, b) => a.ordinal - b.ordinal)
    },

    async inbox(scopeKey, after, limit) {
      return permissions
        .all()
        .filter((permission) => permission.scopeKey === scopeKey && isPending(permission))
        .filter(({ sessionKey }) => tables.sessions.byId(sessionByKey(sessionKey)) !== undefined)
        .toSorted(byAgeAndId)
        .filter((permission) => after === undefined || byAgeAndId(permission, after) > 0)
        .slice(0, limit)
    },

    async grants(sessions) {
      return [...new Set(sessions)].flatMap((session) => grants.of(session)).toSorted(byAge)
    },

    async purge(sessions, limit) {
      const removed = purgeRows(permissions, sessions, limit)
      return removed + purgeRows(grants, sessions, limit - removed)
    },
  }
}

const isPending = ({ state }: Permission): boolean => state.kind === 'pending'

const byAgeAndId = (a: PermissionPosition, b: PermissionPosition): number =>
  a.createdAt - b.createdAt || compare(a.permissionId, b.permissionId)

const byAge = (a: Grant, b: Grant): number =>
  a.createdAt - b.createdAt || compare(a.rememberKey, b.rememberKey) || a.sessionKey - b.sessionKey

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)
