import type { EventStore } from '../../ports/stores/events.ts'
import type { Database } from './database.ts'
import { eventColumns, eventOf } from './event-row.ts'
import { eventStretch } from './event-stretch.ts'
import type { Event as EventModel } from './generated/sqlite/client.ts'
import { pruneEvents } from './prune-events.ts'
import { changeRows } from './purge-rows.ts'
import { join, names, sql } from './sql.ts'
import { namesOf } from './table.ts'

/**
 * The event logs of all scopes. A log holds the sequences in `(floor, head]` without gaps; an event that was erased
 * with its session keeps its number. Rows are added by the unit of work alone.
 */

export function prismaEvents(database: Database): EventStore {
  return {
    async bounds(scopeKey) {
      const select = { sequence: true, floor: true }
      const scope = await database.read((client) => client.scope.findUnique({ where: { key: scopeKey }, select }))
      return { head: Number(scope?.sequence ?? 0), floor: Number(scope?.floor ?? 0) }
    },

    async read({ scopeKey, filter, after, limit }) {
      const { table, rows: along, end, others } = eventStretch(database.dialect, { scopeKey, filter, limit })
      const columns = namesOf(eventColumns)
      // One statement, so that the head is that of the moment at which the events were read.
      const rows = await database.rows<LogRow>(sql`
        WITH log AS (
          SELECT "sequence" AS "head", CASE WHEN "floor" > ${after} THEN "floor" ELSE ${after} END AS "start"
          FROM "Scope" WHERE "key" = ${scopeKey}
        ), stretch AS MATERIALIZED (SELECT "start", ${end} AS "end" FROM log)
        SELECT stretch."end", ${names(columns, 'e.')} FROM stretch LEFT JOIN (
          SELECT ${names(columns)} FROM ${table} WHERE ${join(
            [
              along,
              sql`"sequence" > (SELECT "start" FROM stretch)`,
              sql`"sequence" <= (SELECT "end" FROM stretch)`,
              sql`"body" IS NOT NULL`,
              ...others,
            ],
            ' AND ',
          )} ORDER BY "sequence" LIMIT ${limit}
        ) AS e ON TRUE`)
      // A join promises no order.
      const events = rows
        .flatMap((row) => (hasBody(row) ? [eventOf(row)] : []))
        .toSorted((a, b) => a.sequence - b.sequence)
      const scannedTo = events.length < limit ? Number(rows[0]?.end ?? after) : events.at(-1)?.sequence
      return { events, scannedTo: Math.max(after, scannedTo ?? after) }
    },

    prune: (scopeKey, policy) => pruneEvents(database, scopeKey, policy),

    /** What was erased no longer belongs to its session, so that the next call does not come across it again. */
    purge: (sessions, limit) =>
      changeRows(
        database,
        { table: 'Event', column: 'sessionKey', sessions, limit, where: sql`"type" <> 'session.deleted'` },
        (which) => sql`UPDATE "Event" SET "body" = NULL, "sessionKey" = 0 WHERE ${which}`,
      ),
  }
}

type LogRow = { readonly [Name in keyof EventModel]: EventModel[Name] | null } & { readonly end: bigint }

const hasBody = (row: object): row is EventModel & { readonly body: string } => 'body' in row && row.body !== null
