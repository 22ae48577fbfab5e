import type { RunRow, RunsQuery, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export const runLoaders = (runs: Stores['runs']) => ({
  byId: rowLoader(
    (ids) => runs.findMany(ids),
    (row: RunRow) => row.runId,
  ),
  /** The newest run of a session. */
  latest: rowLoader(
    (sessions) => runs.latest(sessions),
    (row: RunRow) => row.sessionKey,
  ),
  pages: batchLoader((queries: readonly RunsQuery[]) => runs.pages(queries)),
})
