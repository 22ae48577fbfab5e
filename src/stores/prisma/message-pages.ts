import type { MessagesQuery } from '../../ports/stores/messages.ts'
import { BEYOND } from './beyond.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import type { Message as MessageModel } from './generated/sqlite/client.ts'
import { messageTable } from './message-row.ts'
import { raw, sql, type Sql } from './sql.ts'
import { namesOf } from './table.ts'

export type NumberedQuery = MessagesQuery & { readonly query: number }
export type PageRow = MessageModel & { readonly query: bigint }

const given = { query: 'integer', sessionKey: 'bigint', runId: 'text', after: 'bigint', before: 'bigint' } as const

/**
 * The rows of all pages by one statement. Pages from the front and from the back, of a session and of a run, are a
 * branch each, because each goes along an index in its own way. A query gets as many rows as the largest page asks
 * for.
 */
export async function messagePages(database: Database, queries: readonly NumberedQuery[]): Promise<readonly PageRow[]> {
  const limit = Math.max(...queries.map((query) => query.limit))
  const groups = Map.groupBy(queries, ({ take, runId }) => `${take} ${runId === undefined ? 'all' : 'of a run'}`)
  const branches = [...groups.values()].flatMap((group) => branchesOf(database, group, limit))
  const [first, ...others] = branches
  if (!first) return []
  return database.rows<PageRow>(others.reduce((all, branch) => sql`${all} UNION ALL ${branch}`, first))
}

/** One branch; several only when the queries are too long for one source. */
function branchesOf({ dialect }: Database, queries: readonly NumberedQuery[], limit: number): readonly Sql[] {
  const [query] = queries
  const ofRun = query?.runId === undefined ? sql`TRUE` : sql`t."runId" = j."runId"`
  const rows = queries.map(({ after = -1, before = BEYOND, ...rest }) => ({ ...rest, after, before }))
  return sources(dialect, given, rows).map((source) =>
    dialect.firstRows({
      source,
      table: messageTable.name,
      columns: namesOf(messageTable.columns),
      match: sql`t."sessionKey" = j."sessionKey" AND t."index" > j."after" AND t."index" < j."before" AND ${ofRun}`,
      order: sql`t."index" ${raw(query?.take === 'last' ? 'DESC' : 'ASC')}`,
      limit,
    }),
  )
}
