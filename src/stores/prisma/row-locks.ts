import { sources } from './bulk.ts'
import type { Dialect } from './dialect.ts'
import type { GroupWrites } from './group-writes.ts'
import { join, sql, type Sql } from './sql.ts'

/**
 * The locks that a commit group takes before it needs them, where transactions run beside each other: rows of a table
 * in the ascending order of their keys, so that of two groups that want the same rows one waits for all of them.
 */

/**
 * The sessions that are compared and set, that are reserved, or that gain. A single one needs none: the statement that compares and sets
 * it, which comes first, waits for it.
 */
export function sessionLocks(dialect: Dialect, { sessions, rollUps, structure }: GroupWrites): readonly Sql[] {
  const reserved = structure?.kind === 'reserve' ? structure.members : []
  if (!dialect.concurrent || (sessions.length < 2 && rollUps.length + reserved.length === 0)) return []
  const written = sources(dialect, { key: 'bigint' }, [
    ...sessions.map(({ row: { key } }) => ({ key })),
    ...reserved.map(({ key }) => ({ key })),
  ])
  const gaining = sources(dialect, { scopeKey: 'bigint', path: 'text' }, rollUps)
  const keys = [
    ...written.map((source) => sql`SELECT j."key" FROM ${source}`),
    ...gaining.map(
      (source) => sql`SELECT t."key" FROM ${source} JOIN "Session" AS t
        ON t."scopeKey" = j."scopeKey" AND t."path" = j."path"`,
    ),
  ]
  const which = sql`"key" = ANY(ARRAY(${join(keys, ' UNION ')}))`
  return [sql`SELECT "key" FROM "Session" WHERE ${which} ORDER BY "key" FOR UPDATE`]
}

/** The tombstones of a group that is settled or finished: of those who do so at the same time one finds it as it was. */
export function groupLocks(dialect: Dialect, { structure }: GroupWrites): readonly Sql[] {
  if (!dialect.concurrent || !structure || structure.kind === 'reserve') return []
  return [sql`SELECT "key" FROM "Tombstone" WHERE "groupKey" = ${structure.group} ORDER BY "key" FOR UPDATE`]
}

/** The scopes. The statement that changes a single one waits for it. */
export function scopeLocks(dialect: Dialect, { scopes }: GroupWrites): readonly Sql[] {
  if (!dialect.concurrent || scopes.size < 2) return []
  const which = dialect.oneOf(sql`"key"`, [...scopes.keys()])
  return [sql`SELECT "key" FROM "Scope" WHERE ${which} ORDER BY "key" FOR UPDATE`]
}
