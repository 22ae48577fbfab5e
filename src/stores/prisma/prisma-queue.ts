import type { SessionKey } from '../../kernel/ids.ts'
import type { Entry } from '../../domain/prompt/entry.ts'
import type { Prompt } from '../../domain/prompt/prompt.ts'
import type { QueueStore } from '../../ports/stores/queue.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import { document } from './document.ts'
import { entryOf, type EntryRead, entryTable } from './entry-row.ts'
import { inPages } from './pages.ts'
import { purgeRows } from './purge-rows.ts'
import { names, sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { namesOf, omit } from './table.ts'

const columns = namesOf(omit(entryTable.columns, ['prompt']))

/** The queue entries of all sessions and their prompts. Rows are changed by the unit of work alone. */
export function prismaQueue(database: Database): QueueStore {
  const { dialect } = database
  return {
    async outstanding(sessionKey) {
      const rows = await database.read((client) =>
        client.queueEntry.findMany({
          where: { sessionKey, outstanding: true },
          orderBy: { rank: 'asc' },
          omit: { prompt: true },
        }),
      )
      return rows.map(entryOf)
    },

    async prompt(sessionKey, ordinal) {
      const where = { sessionKey_ordinal: { sessionKey, ordinal } }
      const row = await database.read((client) => client.queueEntry.findUnique({ where, select: { prompt: true } }))
      return row ? (document.decode(row.prompt) as Prompt) : undefined
    },

    async findMany(ids) {
      const rows = await inPages(ids.filter(isStorable), (page) =>
        database.rows<EntryRead>(sql`
          SELECT ${names(columns)} FROM "QueueEntry" WHERE ${dialect.oneOfTexts(sql`"queueId"`, page)}`),
      )
      return rows.map(entryOf)
    },

    async views(sessions, finished) {
      const entries = (await inPages(sessions, (page) => viewRows(database, page, finished))).map(entryOf)
      const views = new Map<SessionKey, Entry[]>(sessions.map((session) => [session, []]))
      for (const entry of entries) views.get(entry.sessionKey)?.push(entry)
      for (const view of views.values()) view.sort(inView)
      return views
    },

    purge: (sessions, limit) => purgeRows(database, { table: 'QueueEntry', column: 'sessionKey', sessions, limit }),
  }
}

/** Both parts in one statement, so that an entry that finishes meanwhile is in one of them. */
async function viewRows(
  database: Database,
  sessions: readonly SessionKey[],
  finished: number,
): Promise<readonly EntryRead[]> {
  const given = { query: 'integer', sessionKey: 'bigint' } as const
  const rows = sessions.map((sessionKey, query) => ({ query, sessionKey }))
  const found = sources(database.dialect, given, rows).map((source) =>
    database.rows<EntryRead>(sql`
      SELECT j."query", ${names(columns, 't.')} FROM ${source} CROSS JOIN "QueueEntry" AS t
      WHERE t."sessionKey" = j."sessionKey" AND t."outstanding" = TRUE
      UNION ALL ${database.dialect.firstRows({
        source,
        table: 'QueueEntry',
        columns,
        match: sql`t."sessionKey" = j."sessionKey" AND t."outstanding" = FALSE`,
        order: sql`t."ordinal" DESC`,
        limit: finished,
      })}`),
  )
  return (await Promise.all(found)).flat()
}

const isFinished = ({ state }: Entry): boolean => state.kind === 'finished'

const inView = (a: Entry, b: Entry): number =>
  isFinished(a) ? (isFinished(b) ? b.ordinal - a.ordinal : 1) : isFinished(b) ? -1 : a.rank - b.rank
