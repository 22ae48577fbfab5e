import { rootOf } from '../../domain/session/session.ts'
import type { EventsQuery } from '../../ports/stores/events.ts'
import type { Dialect } from './dialect.ts'
import { names, sql, type Sql } from './sql.ts'
import { pathBehind } from './subtree.ts'

/** Rows that one read looks at. */
const MAX_SCAN = 5000
const TREE_INDEX = 'Event_scopeKey_rootSequence_sequence_idx'
const SESSION_INDEX = 'Event_sessionKey_sequence_idx'

export interface EventStretch {
  readonly table: Sql
  /** The condition that an event is one of those along which the read goes, in their order by an index. */
  readonly rows: Sql
  /** The last sequence that it looks at, from `log`. */
  readonly end: Sql
  /** What else an event has to satisfy. */
  readonly others: readonly Sql[]
}

/**
 * Where a read goes along, and how far. The events of a session and those of a tree have an index each, so that all others are not
 * even passed over.
 */
export function eventStretch(dialect: Dialect, query: Omit<EventsQuery, 'after'>): EventStretch {
  const { scopeKey, filter, limit } = query
  const { session, types } = filter
  const ofTypes = types === undefined ? [] : [dialect.oneOfTexts(sql`"type"`, types)]
  const inScope = sql`"scopeKey" = ${scopeKey}`
  if (session === undefined) {
    const far = sql`"start" + ${MAX_SCAN}`
    const end = sql`CASE WHEN "head" < ${far} THEN "head" ELSE ${far} END`
    return { table: names(['Event']), rows: inScope, end, others: ofTypes }
  }
  const { key, path, includeDescendants } = session
  const root = rootOf(path)
  const table = dialect.byIndex('Event', includeDescendants ? TREE_INDEX : SESSION_INDEX)
  const rows = includeDescendants ? sql`${inScope} AND "rootSequence" = ${Number(root)}` : sql`"sessionKey" = ${key}`
  const below = includeDescendants && path !== root ? [subtree(path)] : []
  // Where there are no other conditions nothing but what was erased is passed over.
  const most = ofTypes.length + below.length === 0 ? limit : MAX_SCAN
  const last = sql`
    SELECT "sequence" FROM ${table} WHERE ${rows} AND "sequence" > log."start"
    ORDER BY "sequence" LIMIT 1 OFFSET ${most - 1}`
  // A session has one scope. The sum hides the index by scope.
  const ofScope = includeDescendants ? [] : [sql`"scopeKey" + 0 = ${scopeKey}`]
  return { table, rows, end: sql`coalesce((${last}), "head")`, others: [...ofScope, ...below, ...ofTypes] }
}

const subtree = (path: string): Sql => sql`"path" >= ${path} AND "path" < ${pathBehind(path)}`
