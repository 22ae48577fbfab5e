import type { UnsettledStatus } from '../../ports/stores/sessions.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import type { Session as SessionModel } from './generated/sqlite/client.ts'
import { sessionTable } from './session-table.ts'
import { sql } from './sql.ts'
import { namesOf } from './table.ts'

const statuses: readonly UnsettledStatus[] = ['BUSY', 'AWAITING_PERMISSION']

/**
 * The first sessions, by key, that have something to do: of each status `limit`, in no order. One statement, because
 * between two a session could turn from one status to the other and be in neither answer.
 */
export async function unsettledSessions(
  database: Database,
  after: number,
  limit: number,
): Promise<readonly SessionModel[]> {
  const rows = statuses.map((status, query) => ({ query, status, after }))
  const found = sources(database.dialect, { query: 'integer', status: 'text', after: 'bigint' }, rows).map((source) =>
    database.rows<SessionModel>(
      database.dialect.firstRows({
        source,
        table: sessionTable.name,
        columns: namesOf(sessionTable.columns),
        match: sql`t."status" = j."status" AND t."key" > j."after"`,
        order: sql`t."key"`,
        limit,
      }),
    ),
  )
  return (await Promise.all(found)).flat()
}
