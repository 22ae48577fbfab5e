import type { MessageKey, MessageStore, PartKey } from '../../ports/stores/messages.ts'
import type { Part } from '../../domain/message/message.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import { document } from './document.ts'
import type { Message as MessageModel, Part as PartModel } from './generated/sqlite/client.ts'
import { messagePages } from './message-pages.ts'
import { messageOf, messageTable } from './message-row.ts'
import { inPages } from './pages.ts'
import { partOf, partTable } from './part-row.ts'
import { purgeRows } from './purge-rows.ts'
import { names, sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { type Columns, namesOf } from './table.ts'

/**
 * The messages of all sessions, their parts, and the chunks of parts that stream. Changed by the unit of work alone.
 */
export function prismaMessages(database: Database): MessageStore {
  const { dialect } = database
  return {
    async pages(queries) {
      const numbered = queries.map((query, i) => ({ ...query, query: i }))
      const asked = numbered.filter(({ runId }) => runId === undefined || isStorable(runId))
      const pages = queries.map((): MessageModel[] => [])
      const rows = await inPages(asked, (page) => messagePages(database, page))
      for (const row of rows) pages[Number(row.query)]?.push(row)
      return pages.map((page, i) => {
        const { take, limit } = numbered[i] ?? { take: 'first', limit: 0 }
        const messages = page.map(messageOf).toSorted((a, b) => a.index - b.index)
        return take === 'first' ? messages.slice(0, limit) : messages.slice(Math.max(0, messages.length - limit))
      })
    },

    async findMany(ids) {
      const columns = names(namesOf(messageTable.columns))
      const rows = await inPages(ids.filter(isStorable), (page) =>
        database.rows<MessageModel>(sql`
          SELECT ${columns} FROM "Message" WHERE ${dialect.oneOfTexts(sql`"messageId"`, page)}`),
      )
      return rows.map(messageOf)
    },

    parts: (messages) => inPages(distinct(messages), (page) => partsOf(database, messageKey, page)),

    findParts: (keys) => inPages(distinct(keys), (page) => partsOf(database, partKey, page)),

    async purge(sessions, limit) {
      let purged = 0
      for (const table of ['PartChunk', 'Part', 'Message']) {
        purged += await purgeRows(database, { table, column: 'sessionKey', sessions, limit: limit - purged })
      }
      return purged
    },
  }
}

const distinct = <Key extends MessageKey & Partial<PartKey>>(keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [`${key.sessionKey} ${key.index} ${key.partIndex}`, key])).values(),
]

const messageKey = { sessionKey: 'bigint', messageIndex: 'bigint' } as const
const partKey = { sessionKey: 'bigint', messageIndex: 'bigint', partIndex: 'integer' } as const

interface PartRow extends PartModel {
  /** Null for a part without chunks. */
  readonly chunk: string | null
}

/**
 * The parts with these key columns. A part that streams comes once for each of its chunks: in one statement, because
 * between two it could complete, and its text would be in neither.
 */
async function partsOf(
  database: Database,
  key: Columns,
  keys: readonly (MessageKey | PartKey)[],
): Promise<readonly Part[]> {
  const rows = keys.map(({ index, ...rest }) => ({ ...rest, messageIndex: index }))
  const found = sources(database.dialect, key, rows).map((source) =>
    database.rows<PartRow>(sql`
      SELECT ${names(namesOf(partTable.columns), 't.')}, c."text" AS "chunk" FROM "Part" AS t
      LEFT JOIN "PartChunk" AS c ON c."sessionKey" = t."sessionKey" AND c."messageIndex" = t."messageIndex"
        AND c."partIndex" = t."partIndex" AND t."status" = 'RUNNING'
      WHERE (${names(namesOf(key), 't.')}) IN (SELECT ${names(namesOf(key), 'j.')} FROM ${source})
      ORDER BY t."sessionKey", t."messageIndex", t."partIndex", c."offset"`),
  )
  const parts = Map.groupBy((await Promise.all(found)).flat(), ({ partId }) => partId)
  return [...parts.values()].flatMap(([first, ...others]) => (first ? [partOf(first, textOf([first, ...others]))] : []))
}

const textOf = (rows: readonly PartRow[]): string =>
  rows.map(({ chunk }) => (chunk === null ? '' : (document.decode(chunk) as string))).join('')
