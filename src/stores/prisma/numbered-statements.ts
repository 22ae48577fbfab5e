import { SCOPE_ITSELF } from '../../domain/event/event.ts'
import { inserts } from './bulk.ts'
import type { CommitGroup } from './commit-group.ts'
import type { Dialect } from './dialect.ts'
import { eventColumns, eventColumnsDrafted, eventRow } from './event-row.ts'
import type { GroupWrites, NumberedWrite } from './group-writes.ts'
import { newSessionRow } from './session-row.ts'
import { sessionColumnsAdded, sessionTable } from './session-table.ts'
import { names, raw, sql, type Sql } from './sql.ts'
import { omit, pick } from './table.ts'

/**
 * The statements of a commit group that number things. The rows of its scopes count up first, by all that the group has
 * of a kind; what is numbered then finds its number from the count and its own distance from the last of its kind.
 */

/** Counts revisions and events of the scopes, or only reads how far they are when the group has neither. */
export function counts(dialect: Dialect, { scopes }: GroupWrites): Sql {
  const growing = [...scopes].filter(([, { revisions, events }]) => revisions + events > 0)
  if (growing.length === 0) {
    const which = dialect.oneOf(sql`"key"`, [...scopes.keys()])
    return sql`SELECT "key", "revision", "sequence" FROM "Scope" WHERE ${which}`
  }
  const rows = [...scopes].map(([scopeKey, growth]) => JSON.stringify({ scopeKey, ...growth }))
  const source = dialect.rows({ scopeKey: 'bigint', revisions: 'bigint', events: 'bigint' }, rows)
  return sql`
    UPDATE "Scope" AS t SET "revision" = t."revision" + j."revisions", "sequence" = t."sequence" + j."events"
    FROM ${source} WHERE t."key" = j."scopeKey" RETURNING "key", "revision", "sequence"`
}

/** Left joins, so that a row without its scope or its session is refused for what it lacks instead of left out. */
const joinScope = sql`LEFT JOIN "Scope" AS s ON s."key" = j."scopeKey"`
/** Where the structure changes, the events are about sessions that are being deleted. */
const joinSession = ({ structure }: GroupWrites): Sql =>
  sql`LEFT JOIN ${names([structure ? 'Tombstone' : 'Session'])} AS t ON t."key" = j."sessionKey" AND t."scopeKey" = j."scopeKey"`

/** How far behind the last of its kind in its scope a write is, which is not more than 0. */
const offsetOf = ({ ordinal }: NumberedWrite<unknown>, total: number | undefined): number => ordinal - (total ?? 0)

export function newSessions(dialect: Dialect, { writeId, writes }: CommitGroup): readonly Sql[] {
  const generationSequence = sql`s."revision" + j."offset"`
  return inserts(dialect, {
    into: sessionTable.name,
    columns: omit(sessionTable.columns, [...sessionColumnsAdded, 'sessionId']),
    rows: writes.created.map((write) => ({
      ...newSessionRow(write.value),
      offset: offsetOf(write, writes.scopes.get(write.scopeKey)?.revisions),
      parentPath: write.value.place.parentPath,
    })),
    helpers: { offset: 'bigint', parentPath: 'text', sessionId: 'text' },
    computed: {
      // Null, which is refused, while the last session with that id is still being deleted. Whoever deletes one holds the
      // row of the scope as well.
      sessionId: sql`CASE WHEN NOT EXISTS (
        SELECT 1 FROM "Tombstone" AS d WHERE d."scopeKey" = j."scopeKey" AND d."sessionId" = j."sessionId"
      ) THEN j."sessionId" END`,
      generationSequence,
      path: sql`j."parentPath" || ${dialect.pathStep(generationSequence)}`,
      writeId: sql`${writeId}`,
    },
    joins: joinScope,
  })
}

/** What an event takes from its session; null, which is refused, where that is missing, and `blank` for the scope itself. */
const ofSession = (column: string, blank: Sql): Sql =>
  sql`CASE WHEN j."sessionKey" = ${raw(String(SCOPE_ITSELF))} THEN ${blank} ELSE ${names([column], 't.')} END`

export function newEvents(dialect: Dialect, writes: GroupWrites): readonly Sql[] {
  return inserts(dialect, {
    into: 'Event',
    columns: pick(eventColumns, eventColumnsDrafted),
    rows: writes.events.map((write) => ({
      ...eventRow(write.scopeKey, write.value),
      offset: offsetOf(write, writes.scopes.get(write.scopeKey)?.events),
    })),
    helpers: { offset: 'bigint' },
    computed: {
      sequence: sql`s."sequence" + j."offset"`,
      sessionId: ofSession('sessionId', sql`''`),
      generationId: ofSession('generationId', sql`''`),
      generationSequence: ofSession('generationSequence', sql`0`),
      path: ofSession('path', sql`''`),
      rootSequence: sql`CAST(substr(${ofSession('path', sql`'0'`)}, 1, 12) AS BIGINT)`,
    },
    joins: sql`${joinScope} ${joinSession(writes)}`,
  })
}
