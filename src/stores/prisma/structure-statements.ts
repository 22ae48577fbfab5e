import { sequencesOf } from '../../domain/session/session.ts'
import type { Dialect } from './dialect.ts'
import type { GroupWrites } from './group-writes.ts'
import { sources } from './bulk.ts'
import { sql, type Sql } from './sql.ts'

/**
 * Moves the rows of reserved sessions into the table of tombstones. From then on nothing that looks for a live session
 * finds them, and nothing that is compared and set hits.
 */
export function reserved(dialect: Dialect, { structure }: GroupWrites): readonly Sql[] {
  if (structure?.kind !== 'reserve') return []
  const { top, members, at, by } = structure
  const keys = members.map(({ key }) => ({ key }))
  const depth = sequencesOf(top.path).length - 1
  const inserted = sources(dialect, { key: 'bigint' }, keys).map(
    (source) => sql`
      INSERT INTO "Tombstone" (
        "key", "scopeKey", "sessionId", "generationId", "generationSequence", "path", "depth", "groupKey", "groupDepth",
        "parentSessionId", "parentGenerationId", "parentGenerationSequence", "agent", "parentRunId", "parentToolCallId",
        "deletedAt", "deletedBy", "owner"
      )
      SELECT t."key", t."scopeKey", t."sessionId", t."generationId", t."generationSequence", t."path", t."depth",
        CAST(${top.key} AS BIGINT), t."depth" - CAST(${depth} AS INTEGER),
        p."sessionId", p."generationId", p."generationSequence", t."agent", t."parentRunId", t."parentToolCallId",
        CAST(${at} AS BIGINT), CAST(${by} AS TEXT), t."owner"
      FROM ${source} CROSS JOIN "Session" AS t LEFT JOIN "Session" AS p ON p."key" = t."parentKey"
      WHERE t."key" = j."key"`,
  )
  const deleted = sources(dialect, { key: 'bigint' }, keys).map(
    (source) => sql`DELETE FROM "Session" WHERE "key" IN (SELECT j."key" FROM ${source})`,
  )
  return [...inserted, ...deleted]
}

/** Settles a group, or removes its tombstones. The guard has seen that it is as it should be. */
export function finished({ structure }: GroupWrites): readonly Sql[] {
  switch (structure?.kind) {
    case 'settle':
      return [sql`UPDATE "Tombstone" SET "settled" = TRUE WHERE "key" = ${structure.group}`]
    case 'finish':
      return [sql`DELETE FROM "Tombstone" WHERE "groupKey" = ${structure.group}`]
    case 'reserve':
    case undefined:
      return []
  }
}
