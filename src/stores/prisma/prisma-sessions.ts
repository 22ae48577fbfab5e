import type { SessionKey } from '../../kernel/ids.ts'
import { pathBelow } from '../../domain/session/session.ts'
import type { ChildrenQuery, SessionStore } from '../../ports/stores/sessions.ts'
import { BEYOND } from './beyond.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import type { Session as SessionModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { purgeRows } from './purge-rows.ts'
import { reserveKeys } from './reserve-keys.ts'
import { sessionCount, sessionPage } from './session-list.ts'
import { sessionOf } from './session-row.ts'
import { sessionTable } from './session-table.ts'
import { empty, names, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { pathBehind } from './subtree.ts'
import { subtreeStatuses } from './subtree-statuses.ts'
import { namesOf } from './table.ts'
import { unsettledSessions } from './unsettled-sessions.ts'

const columns = namesOf(sessionTable.columns)
const LAST = { updatedAt: BEYOND, generationSequence: BEYOND }
const LEVEL = pathBelow('', 0).length

/** The sessions of all scopes. Rows are changed by the unit of work alone. */
export function prismaSessions(database: Database): SessionStore {
  const { dialect } = database
  const select = async (rest: Sql) => {
    const rows = await database.rows<SessionModel>(sql`SELECT ${names(columns)} FROM "Session" ${rest}`)
    return rows.map(sessionOf)
  }
  return {
    async find(scopeKey, sessionId) {
      if (!isStorable(sessionId)) return undefined
      const where = { scopeKey_sessionId: { scopeKey, sessionId } }
      const row = await database.read((client) => client.session.findUnique({ where }))
      return row ? sessionOf(row) : undefined
    },

    findMany: (keys) => inPages(keys, (page) => select(sql`WHERE ${dialect.oneOf(sql`"key"`, page)}`)),

    findBySequence: (scopeKey, generationSequences) =>
      inPages(generationSequences, (page) =>
        select(sql`WHERE "scopeKey" = ${scopeKey} AND ${dialect.oneOf(sql`"generationSequence"`, page)}`),
      ),

    page: async (query) => (await sessionPage(database, query)).map(sessionOf),

    count: (scopeKey, filter, cap) => sessionCount(database, { scopeKey, filter, cap }),

    async children(queries) {
      const numbered = queries.map((query, i) => ({ ...query, query: i }))
      const pages = queries.map((): SessionModel[] => [])
      const rows = await inPages(numbered, (page) => childRows(database, page))
      for (const row of rows) pages[Number(row.query)]?.push(row)
      return pages.map((page, i) => page.toSorted(byActivity).slice(0, queries[i]?.limit).map(sessionOf))
    },

    async countChildren(parents) {
      const rows = await inPages(parents, (page) =>
        database.rows<{ readonly key: bigint; readonly count: bigint }>(sql`
          SELECT p."key", (
            SELECT count(*) FROM "Session" AS t WHERE t."scopeKey" = p."scopeKey" AND t."parentKey" = p."key"
          ) AS "count" FROM "Session" AS p WHERE ${dialect.oneOf(sql`p."key"`, page)}`),
      )
      const counts = new Map(rows.map(({ key, count }) => [Number(key), Number(count)]))
      return parents.map((parent) => counts.get(parent) ?? 0)
    },

    descendants({ scopeKey, path, maxDepth, after, limit }) {
      const deepest = path.length / LEVEL - 1 + (maxDepth ?? 0)
      return select(sql`
        WHERE "scopeKey" = ${scopeKey} AND "path" > ${after !== undefined && after > path ? after : path}
          AND "path" < ${pathBehind(path)} ${maxDepth === undefined ? empty : sql`AND "depth" <= ${deepest}`}
        ORDER BY "path" LIMIT ${limit}`)
    },

    async subtreeStatuses(scopeKey, paths) {
      const rows = await inPages(paths, (page) => subtreeStatuses(database, scopeKey, page))
      return new Map(rows.map(({ path, status }) => [path, status]))
    },

    async unsettled(after, limit) {
      const rows = await unsettledSessions(database, after ?? 0, limit)
      return rows.toSorted((a, b) => Number(a.key - b.key)).slice(0, limit).map(sessionOf)
    },

    reserveKeys: async (count) => (await reserveKeys(database, 'session', count)) as SessionKey,

    async purge(sessions, limit) {
      const removed = await purgeRows(database, { table: 'TitleGram', column: 'sessionKey', sessions, limit })
      const left = { table: 'Session', column: 'key', sessions, limit: limit - removed }
      return removed + (await purgeRows(database, left))
    },
  }
}

type NumberedQuery = ChildrenQuery & { readonly query: number }
type ChildRow = SessionModel & { readonly query: bigint }

/**
 * Each query gets as many rows as the largest page asks for. The parent's row gives the scope, by which there is an
 * index.
 */
async function childRows(database: Database, queries: readonly NumberedQuery[]): Promise<readonly ChildRow[]> {
  const given = { query: 'integer', parentKey: 'bigint', updatedAt: 'bigint', generationSequence: 'bigint' } as const
  const rows = queries.map(({ query, parentKey, after }) => ({ query, parentKey, ...(after ?? LAST) }))
  const limit = Math.max(...queries.map((query) => query.limit))
  const found = sources(database.dialect, given, rows).map((source) =>
    database.rows<ChildRow>(
      database.dialect.firstRows({
        source: sql`(
          SELECT j.*, p."scopeKey" FROM ${source} CROSS JOIN "Session" AS p WHERE p."key" = j."parentKey"
        ) AS j`,
        table: 'Session',
        columns,
        match: sql`t."scopeKey" = j."scopeKey" AND t."parentKey" = j."parentKey"
          AND (t."updatedAt", t."generationSequence") < (j."updatedAt", j."generationSequence")`,
        order: sql`t."updatedAt" DESC, t."generationSequence" DESC`,
        limit,
      }),
    ),
  )
  return (await Promise.all(found)).flat()
}

const byActivity = (a: SessionModel, b: SessionModel): number =>
  Number(b.updatedAt - a.updatedAt) || Number(b.generationSequence - a.generationSequence)
