import type { ScopeKey } from '../../kernel/ids.ts'
import type { UnsettledStatus } from '../../ports/stores/sessions.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { pathBehind } from './subtree.ts'

interface SubtreeStatus {
  readonly path: string
  readonly status: UnsettledStatus
}

/**
 * The heaviest status in each of the subtrees at these paths, without those that are idle as a whole. Each is looked up
 * in the index of statuses, the heaviest first, so that it costs the same however large the subtree is.
 */
export async function subtreeStatuses(
  database: Database,
  scopeKey: ScopeKey,
  paths: readonly string[],
): Promise<readonly SubtreeStatus[]> {
  const anyIs = (status: UnsettledStatus) => sql`EXISTS (
    SELECT 1 FROM "Session" AS t WHERE t."scopeKey" = ${scopeKey} AND t."status" = ${status}
      AND t."path" >= j."path" AND t."path" < j."behind"
  )`
  const subtrees = paths.map((path) => ({ path, behind: pathBehind(path) }))
  const found = sources(database.dialect, { path: 'text', behind: 'text' }, subtrees).map((source) =>
    database.rows<SubtreeStatus>(sql`
      SELECT s."path", s."status" FROM (
        SELECT j."path", CASE WHEN ${anyIs('AWAITING_PERMISSION')} THEN 'AWAITING_PERMISSION'
          WHEN ${anyIs('BUSY')} THEN 'BUSY' END AS "status" FROM ${source}
      ) AS s WHERE s."status" IS NOT NULL`),
  )
  return (await Promise.all(found)).flat()
}
