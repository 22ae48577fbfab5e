import type { SessionFilter } from '../../ports/stores/sessions.ts'
import { asciiLower } from './ascii-lower.ts'
import { join, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'

/** The condition that a session, in whatever scope, matches; undefined when none can. */
export function sessionFilter(filter: SessionFilter): Sql | undefined {
  const { rootsOnly, status, agent, titleContains, updatedSince } = filter
  if (![agent, titleContains].every((text) => text === undefined || isStorable(text))) return undefined
  const conditions = [
    ...(rootsOnly === true ? [sql`"parentKey" IS NULL`] : []),
    ...(status === undefined ? [] : [sql`"status" = ${status}`]),
    ...(agent === undefined ? [] : [sql`"agent" = ${agent}`]),
    ...(titleContains === undefined || titleContains === '' ? [] : [titleCondition(titleContains)]),
    ...(updatedSince === undefined ? [] : [sql`"updatedAt" >= ${updatedSince}`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : join(conditions, ' AND ')
}

const titleCondition = (text: string): Sql =>
  sql`"titleSearch" LIKE ${`%${asciiLower(text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} ESCAPE '\\'`
