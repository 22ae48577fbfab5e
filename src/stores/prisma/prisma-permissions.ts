import type { Grant } from '../../domain/permission/grant.ts'
import type { PermissionPosition, PermissionStore } from '../../ports/stores/permissions.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import { firstOfSessions } from './first-of-sessions.ts'
import type { Grant as GrantModel, Permission as PermissionModel } from './generated/sqlite/client.ts'
import { grantOf, grantTable } from './grant-row.ts'
import { inPages } from './pages.ts'
import { permissionOf, permissionTable } from './permission-row.ts'
import { purgeRows } from './purge-rows.ts'
import { empty, names, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { namesOf } from './table.ts'

const columns = namesOf(permissionTable.columns)

/** Requests for permission and grants of all sessions. Rows are changed by the unit of work alone. */
export function prismaPermissions(database: Database): PermissionStore {
  const { dialect } = database
  const select = (rest: Sql) =>
    database.rows<PermissionModel>(sql`SELECT ${names(columns)} FROM "Permission" WHERE ${rest}`)
  return {
    async findMany(ids) {
      const rows = await inPages(ids.filter(isStorable), (page) =>
        select(dialect.oneOfTexts(sql`"permissionId"`, page)),
      )
      return rows.map(permissionOf)
    },

    async pending(sessions) {
      const rows = await inPages(sessions, (page) =>
        select(sql`${dialect.oneOf(sql`"sessionKey"`, page)} AND "pending" = TRUE`),
      )
      return rows.toSorted(oldestFirst).map(permissionOf)
    },

    async latest(sessions, limit) {
      const order = sql`t."ordinal" DESC`
      const rows = await firstOfSessions<PermissionModel>(database, { table: permissionTable, sessions, order, limit })
      return rows.toSorted((a, b) => oldestFirst(b, a)).map(permissionOf)
    },

    async ofRuns(runs) {
      const rows = await inPages(runs.filter(isStorable), (page) => select(dialect.oneOfTexts(sql`"runId"`, page)))
      return rows.toSorted(oldestFirst).map(permissionOf)
    },

    async inbox(scopeKey, after, limit) {
      const id = dialect.inByteOrder(sql`"permissionId"`)
      const further = after ? sql`AND ${isBehind(dialect, after)}` : empty
      // Of a session that is being deleted nothing can be answered any more.
      const lives = sql`EXISTS (SELECT 1 FROM "Session" AS t WHERE t."key" = "sessionKey")`
      const rows = await select(sql`
        "scopeKey" = ${scopeKey} AND "pending" = TRUE AND ${lives} ${further} ORDER BY "createdAt", ${id} LIMIT ${limit}`)
      return rows.map(permissionOf)
    },

    async grants(sessions) {
      const rows = await inPages(sessions, (page) =>
        database.rows<GrantModel>(sql`
          SELECT ${names(namesOf(grantTable.columns))} FROM "Grant" WHERE ${dialect.oneOf(sql`"sessionKey"`, page)}`),
      )
      return rows.map(grantOf).toSorted(byAge)
    },

    async purge(sessions, limit) {
      const column = 'sessionKey'
      const purged = await purgeRows(database, { table: 'Permission', column, sessions, limit })
      return purged + (await purgeRows(database, { table: 'Grant', column, sessions, limit: limit - purged }))
    },
  }
}

/** The time alone is a range of the index, whatever the collation; ids are only compared at the same time. */
function isBehind(dialect: Dialect, { createdAt, permissionId }: PermissionPosition): Sql {
  const later = sql`"createdAt" > ${createdAt}`
  const ties = isStorable(permissionId)
    ? sql`${dialect.inByteOrder(sql`"permissionId"`)} > ${permissionId}`
    : sql`FALSE`
  return sql`"createdAt" >= ${createdAt} AND (${later} OR ${ties})`
}

const oldestFirst = (a: PermissionModel, b: PermissionModel): number => Number(a.ordinal - b.ordinal)

const byAge = (a: Grant, b: Grant): number =>
  a.createdAt - b.createdAt ||
  Number(a.rememberKey > b.rememberKey) - Number(a.rememberKey < b.rememberKey) ||
  a.sessionKey - b.sessionKey
