import type { SessionKey } from '../../kernel/ids.ts'
import type { StructureChange } from '../../domain/deletion/tombstone.ts'
import { sameKey, sources } from './bulk.ts'
import type { CommitGroup } from './commit-group.ts'
import type { Dialect } from './dialect.ts'
import { names, sql, type Sql } from './sql.ts'
import type { RowSet } from './row-set.ts'
import { pick } from './table.ts'

/**
 * The statement that records the group, and that fails unless everything is there that the group builds on. An array
 * transaction cannot look at the result of a statement, so the database has to: the count of the commits is written
 * as null, which the column refuses, when a compare-and-set missed, or a row to be updated or a scope does not exist.
 *
 * It is exact. A compare-and-set that hits leaves this group's `writeId` in the row of its session, and the group
 * writes each session once; so as many of its sessions have it as were hit, if no row had it before. Another writer
 * never wrote it, as each group has an id of its own. An earlier attempt under the same id, if it was committed, has
 * left its record, whose key refuses this one; and if it was rolled back, so were its rows. That a session has the
 * revision, or the epoch, that the group wants to write proves nothing, as another writer may have set the same:
 * hence the id.
 */
export function guard(dialect: Dialect, { writeId, members, writes }: CommitGroup): Sql {
  const { sessions, scopes, tables, parents, structure } = writes
  const theScopes = dialect.oneOf(sql`"key"`, [...scopes.keys()])
  const theSessions = dialect.oneOf(sql`"key"`, sessions.map(({ row }) => row.key))
  const conditions = [
    sql`(SELECT count(*) FROM "Scope" WHERE ${theScopes}) = ${scopes.size}`,
    sql`(SELECT count(*) FROM "Session" WHERE ${theSessions} AND "writeId" = ${writeId}) = ${sessions.length}`,
    ...tables.flatMap((rows) => allExist(dialect, rows)),
    ...(parents.length > 0 ? [areThere(dialect, parents)] : []),
    ...(structure ? structureIs(dialect, structure) : []),
  ]
  const all = conditions.reduce((both, condition) => sql`${both} AND ${condition}`)
  return sql`
    INSERT INTO "CommitRecord" ("writeId", "members", "createdAt")
    VALUES (${writeId}, CASE WHEN ${all} THEN CAST(${members} AS INTEGER) END, ${dialect.now})`
}

const areThere = (dialect: Dialect, keys: readonly SessionKey[]): Sql =>
  sql`(SELECT count(*) FROM "Session" WHERE ${dialect.oneOf(sql`"key"`, keys)}) = ${keys.length}`

/** What a change of the structure expects. The rows are locked, so this stays true. */
function structureIs(dialect: Dialect, structure: StructureChange): readonly Sql[] {
  if (structure.kind === 'settle') {
    return [sql`EXISTS (SELECT 1 FROM "Tombstone" WHERE "key" = ${structure.group} AND "settled" = FALSE)`]
  }
  if (structure.kind === 'finish') {
    const { group, members } = structure
    return [
      sql`${members.length} > 0`,
      sql`(SELECT count(*) FROM "Tombstone" WHERE "groupKey" = ${group}) = ${members.length}`,
    ]
  }
  const { top, members } = structure
  return [
    sql`EXISTS (SELECT 1 FROM "Session" WHERE "key" = ${top.key} AND "treeChanges" = ${top.changes})`,
    areThere(
      dialect,
      members.map(({ key }) => key),
    ),
  ]
}

/** An update cannot make the row that it misses, so looking afterwards is as good as before. */
function allExist(dialect: Dialect, { table, updates }: RowSet): readonly Sql[] {
  if (updates.length === 0) return []
  const counts = sources(dialect, pick(table.columns, table.key), updates).map(
    (source) => sql`(
      SELECT count(*) FROM ${source} CROSS JOIN ${names([table.name])} AS t WHERE ${sameKey(table.key)}
    )`,
  )
  const total = counts.reduce((sum, count) => sql`${sum} + ${count}`)
  return [sql`${total} = ${updates.length}`]
}
