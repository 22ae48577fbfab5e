import type { HarnessEvent } from '../../domain/event/event.ts'
import type { EventFilter, EventStore } from '../../ports/stores/events.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import { eventColumns, eventOf } from './event-row.ts'
import type { Event as EventModel } from './generated/sqlite/client.ts'
import { pruneEvents } from './prune-events.ts'
import { changeRows } from './purge-rows.ts'
import { join, names, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { pathBehind } from './subtree.ts'
import { namesOf } from './table.ts'

/**
 * The event logs of all scopes. A log holds the sequences in `(floor, head]` without gaps; an event that was erased
 * with its session keeps its number. Rows are added by the unit of work alone.
 */

/** Sequences that one read looks at. */
const MAX_SCAN = 5000

export function prismaEvents(database: Database): EventStore {
  return {
    async bounds(scopeKey) {
      const select = { sequence: true, floor: true }
      const scope = await database.read((client) => client.scope.findUnique({ where: { key: scopeKey }, select }))
      return { head: Number(scope?.sequence ?? 0), floor: Number(scope?.floor ?? 0) }
    },

    async read({ scopeKey, filter, after, limit }) {
      const conditions = filterConditions(database.dialect, filter)
      if (!conditions) return { events: [], scannedTo: after }
      const columns = namesOf(eventColumns)
      // One statement, so that the head is that of the moment at which the events were read.
      const rows = await database.rows<LogRow>(sql`
        WITH log AS (
          SELECT "sequence" AS "head", CASE WHEN "floor" > ${after} THEN "floor" ELSE ${after} END AS "start"
          FROM "Scope" WHERE "key" = ${scopeKey}
        )
        SELECT log."head", log."start", ${names(columns, 'e.')} FROM log LEFT JOIN (
          SELECT ${names(columns)} FROM "Event" WHERE ${join(
            [
              sql`"scopeKey" = ${scopeKey}`,
              sql`"sequence" > (SELECT "start" FROM log)`,
              sql`"sequence" <= (SELECT "start" + ${MAX_SCAN} FROM log)`,
              sql`"body" IS NOT NULL`,
              ...conditions,
            ],
            ' AND ',
          )} ORDER BY "sequence" LIMIT ${limit}
        ) AS e ON TRUE ORDER BY e."sequence"`)
      const [first] = rows
      const events = rows.flatMap((row) => (hasBody(row) ? [eventOf(row)] : []))
      return { events, scannedTo: events.length < limit ? endOfScan(first, after) : lastOf(events, after) }
    },

    prune: (scopeKey, policy) => pruneEvents(database, scopeKey, policy),

    /** What was erased no longer belongs to its session, so that the next call does not come across it again. */
    purge: (sessions, limit) =>
      changeRows(
        database,
        { table: 'Event', column: 'sessionKey', sessions, limit },
        (which) => sql`UPDATE "Event" SET "body" = NULL, "sessionKey" = 0 WHERE ${which}`,
      ),
  }
}

type LogRow = { readonly [Name in keyof EventModel]: EventModel[Name] | null } & {
  readonly head: bigint
  readonly start: bigint
}

const hasBody = (row: object): row is EventModel & { readonly body: string } => 'body' in row && row.body !== null

const endOfScan = (log: LogRow | undefined, after: number): number =>
  log ? Math.max(after, Math.min(Number(log.head), Number(log.start) + MAX_SCAN)) : after

const lastOf = (events: readonly HarnessEvent[], after: number): number => events.at(-1)?.sequence ?? after

/** Undefined when nothing can match. */
function filterConditions(dialect: Dialect, filter: EventFilter): readonly Sql[] | undefined {
  const { path, includeDescendants, types } = filter
  if (path !== undefined && !isStorable(path)) return undefined
  return [
    ...(path === undefined ? [] : [includeDescendants === true ? subtree(path) : sql`"path" = ${path}`]),
    ...(types === undefined ? [] : [dialect.oneOfTexts(sql`"type"`, types)]),
  ]
}

const subtree = (path: string): Sql => sql`"path" >= ${path} AND "path" < ${pathBehind(path)}`
