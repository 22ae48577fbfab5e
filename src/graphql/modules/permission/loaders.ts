import { MAX_PERMISSIONS_SHOWN } from '../../../domain/limits.ts'
import type { RunId, SessionKey } from '../../../kernel/ids.ts'
import type { GrantRow, PermissionRow, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export const permissionLoaders = (permissions: Stores['permissions']) => ({
  byId: rowLoader(
    (ids) => permissions.findMany(ids),
    (row: PermissionRow) => row.permissionId,
  ),
  /** Those of a session that wait. */
  pending: batchLoader(async (sessions: readonly SessionKey[]) => {
    const rows = Map.groupBy(await permissions.pending(sessions), ({ sessionKey }) => sessionKey)
    return sessions.map((session) => rows.get(session) ?? [])
  }),
  /** The newest ones of a session. */
  latest: batchLoader(async (sessions: readonly SessionKey[]) => {
    const rows = Map.groupBy(
      await permissions.latest(sessions, MAX_PERMISSIONS_SHOWN),
      ({ sessionKey }) => sessionKey,
    )
    return sessions.map((session) => rows.get(session) ?? [])
  }),
  ofRun: batchLoader(async (runs: readonly RunId[]) => {
    const rows = Map.groupBy(await permissions.ofRuns(runs), ({ runId }) => runId)
    return runs.map((run) => rows.get(run) ?? [])
  }),
  /** Those that are stored in a session. */
  grants: batchLoader(async (sessions: readonly SessionKey[]) => {
    const rows = Map.groupBy(await permissions.grants(sessions), ({ sessionKey }: GrantRow) => sessionKey)
    return sessions.map((session) => rows.get(session) ?? [])
  }),
})
