import type { RunStore, RunsQuery } from '../../ports/stores/runs.ts'
import { BEYOND } from './beyond.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import type { Run as RunModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { purgeRows } from './purge-rows.ts'
import { runOf, runTable } from './run-row.ts'
import { names, sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { namesOf } from './table.ts'

const columns = namesOf(runTable.columns)

/** The runs of all sessions. Rows are changed by the unit of work alone. */
export function prismaRuns(database: Database): RunStore {
  const { dialect } = database
  const pages = async (queries: readonly RunsQuery[]) => {
    const numbered = queries.map((query, i) => ({ ...query, query: i }))
    const found = queries.map((): RunModel[] => [])
    const rows = await inPages(numbered, (page) => pageRows(database, page))
    for (const row of rows) found[Number(row.query)]?.push(row)
    return found.map((page, i) => page.toSorted(newestFirst).slice(0, queries[i]?.limit).map(runOf))
  }
  return {
    async find(sessionKey, ordinal) {
      const where = { sessionKey_ordinal: { sessionKey, ordinal } }
      const row = await database.read((client) => client.run.findUnique({ where }))
      return row ? runOf(row) : undefined
    },

    async findMany(ids) {
      const rows = await inPages(ids.filter(isStorable), (page) =>
        database.rows<RunModel>(sql`
          SELECT ${names(columns)} FROM "Run" WHERE ${dialect.oneOfTexts(sql`"runId"`, page)}`),
      )
      return rows.map(runOf)
    },

    async latest(sessions) {
      const queries = [...new Set(sessions)].map((sessionKey) => ({ sessionKey, limit: 1 }))
      return (await pages(queries)).flat()
    },

    pages,

    purge: (sessions, limit) => purgeRows(database, { table: 'Run', column: 'sessionKey', sessions, limit }),
  }
}

type NumberedQuery = RunsQuery & { readonly query: number }
type PageRow = RunModel & { readonly query: bigint }

/** Each query gets as many rows as the largest page asks for. */
async function pageRows(database: Database, queries: readonly NumberedQuery[]): Promise<readonly PageRow[]> {
  const given = { query: 'integer', sessionKey: 'bigint', before: 'bigint' } as const
  const rows = queries.map(({ query, sessionKey, before = BEYOND }) => ({ query, sessionKey, before }))
  const limit = Math.max(...queries.map((query) => query.limit))
  const found = sources(database.dialect, given, rows).map((source) =>
    database.rows<PageRow>(
      database.dialect.firstRows({
        source,
        table: 'Run',
        columns,
        match: sql`t."sessionKey" = j."sessionKey" AND t."ordinal" < j."before"`,
        order: sql`t."ordinal" DESC`,
        limit,
      }),
    ),
  )
  return (await Promise.all(found)).flat()
}

const newestFirst = (a: RunModel, b: RunModel): number => Number(b.ordinal - a.ordinal)
