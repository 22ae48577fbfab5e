import type { ScopeKey } from '../../kernel/ids.ts'
import type { SessionFilter, SessionStore } from '../../ports/stores/sessions.ts'
import type { Database } from './database.ts'
import type { Session as SessionModel } from './generated/sqlite/client.ts'
import { sessionFilter } from './session-filter.ts'
import { sessionTable } from './session-table.ts'
import { empty, names, sql, type Sql } from './sql.ts'
import { namesOf } from './table.ts'
import { type TitleSearch, titleSearch } from './title-search.ts'

/**
 * The lists of the sessions of a scope. They go along the index by activity and pass over what does not match, or,
 * where that would be nearly everything, they look at the few that can match and sort them: busy sessions, and those
 * whose title has a rare piece of what is looked for. Rules of their own keep a planner from the other way, as it cannot
 * know which it is.
 */

type Page = Parameters<SessionStore['page']>[0]

const byActivityIndex = {
  position: sql`"updatedAt", "generationSequence"`,
  order: sql`"updatedAt" DESC, "generationSequence" DESC`,
}
/** The sum hides the index. */
const sorted = {
  position: sql`"updatedAt" + 0, "generationSequence"`,
  order: sql`"updatedAt" + 0 DESC, "generationSequence" DESC`,
}

export async function sessionPage(
  database: Database,
  { scopeKey, filter, after, limit }: Page,
): Promise<readonly SessionModel[]> {
  const found = await matching(database, scopeKey, filter)
  if (!found) return []
  const { matches, search } = found
  const { position, order } = isUnsettled(filter) || search?.areFew ? sorted : byActivityIndex
  const among = search?.areFew
    ? database.dialect.oneOfRows(sql`"key"`, sql`SELECT g."sessionKey" FROM "TitleGram" AS g WHERE ${search.candidates}`)
    : sql`"scopeKey" = ${scopeKey}`
  const further = after ? sql`AND (${position}) < (${after.updatedAt}, ${after.generationSequence})` : empty
  return database.rows<SessionModel>(sql`
    SELECT ${names(namesOf(sessionTable.columns))} FROM "Session" WHERE ${among} AND ${matches} ${further}
    ORDER BY ${order} LIMIT ${limit}`)
}

/** How many sessions match, counted no further than `cap`, in no order: along the titles that can match. */
export async function sessionCount(
  database: Database,
  { scopeKey, filter, cap }: { readonly scopeKey: ScopeKey; readonly filter: SessionFilter; readonly cap: number },
): Promise<number> {
  const found = await matching(database, scopeKey, filter)
  if (!found) return 0
  const { matches, search } = found
  const from = search
    ? sql`"TitleGram" AS g CROSS JOIN "Session" AS t WHERE ${search.candidates} AND t."key" = g."sessionKey"`
    : sql`"Session" WHERE "scopeKey" = ${scopeKey}`
  const [row] = await database.rows<{ readonly count: bigint }>(sql`
    SELECT count(*) AS "count" FROM (SELECT 1 FROM ${from} AND ${matches} LIMIT ${cap}) AS counted`)
  return Number(row?.count)
}

interface Matching {
  readonly matches: Sql
  /** Where the title says where to look. */
  readonly search?: TitleSearch
}

/** Undefined when nothing can match. */
async function matching(database: Database, scopeKey: ScopeKey, filter: SessionFilter): Promise<Matching | undefined> {
  const matches = sessionFilter(filter)
  const { titleContains = '' } = filter
  if (!matches || titleContains === '' || isUnsettled(filter)) return matches && { matches }
  const search = await titleSearch(database, scopeKey, titleContains)
  return search && { matches, search }
}

/** Sessions that have something to do are few. */
const isUnsettled = ({ status = 'IDLE' }: Pick<SessionFilter, 'status'>): boolean => status !== 'IDLE'
