import { MAX_EXECUTIONS_SHOWN } from '../../../domain/limits.ts'
import type { SessionKey } from '../../../kernel/ids.ts'
import type { ExecutionRow, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export const executionLoaders = (executions: Stores['executions']) => ({
  byId: rowLoader(
    (ids) => executions.findMany(ids),
    (row: ExecutionRow) => row.intentId,
  ),
  /** Those of a session that nobody has reconciled. */
  uncertain: batchLoader(async (sessions: readonly SessionKey[]) => {
    const rows = Map.groupBy(
      await executions.uncertain(sessions, MAX_EXECUTIONS_SHOWN),
      ({ sessionKey }) => sessionKey,
    )
    return sessions.map((session) => rows.get(session) ?? [])
  }),
})
