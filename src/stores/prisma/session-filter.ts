import type { ScopeKey } from '../../kernel/ids.ts'
import type { SessionFilter } from '../../ports/stores/sessions.ts'
import { asciiLower } from './ascii-lower.ts'
import { join, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'

/** The condition that a session is in the scope and matches; undefined when none can. */
export function sessionFilter(scopeKey: ScopeKey, filter: SessionFilter): Sql | undefined {
  const { rootsOnly, status, agent, titleContains, updatedSince } = filter
  if (![agent, titleContains].every((text) => text === undefined || isStorable(text))) return undefined
  return join(
    [
      sql`"scopeKey" = ${scopeKey}`,
      ...(rootsOnly === true ? [sql`"parentKey" IS NULL`] : []),
      ...(status === undefined ? [] : [sql`"status" = ${status}`]),
      ...(agent === undefined ? [] : [sql`"agent" = ${agent}`]),
      ...(titleContains === undefined || titleContains === '' ? [] : [titleCondition(titleContains)]),
      ...(updatedSince === undefined ? [] : [sql`"updatedAt" >= ${updatedSince}`]),
    ],
    ' AND ',
  )
}

const titleCondition = (text: string): Sql =>
  sql`"titleSearch" LIKE ${`%${asciiLower(text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} ESCAPE '\\'`
