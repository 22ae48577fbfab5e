import type { ScopeKey } from '../../kernel/ids.ts'
import type { EventStore } from '../../ports/stores/events.ts'
import { BEYOND } from './beyond.ts'
import type { Database } from './database.ts'
import { empty, sql } from './sql.ts'

type Floor = readonly { readonly floor: bigint }[]

/**
 * Raises the floor of a log up to the first event that has to be kept, by at most `limit`, and deletes what is not
 * above it. The row of the scope is locked first: otherwise an event that is committed meanwhile could be counted by
 * the head and not be seen among those to keep.
 */
export async function pruneEvents(
  database: Database,
  scopeKey: ScopeKey,
  policy: Parameters<EventStore['prune']>[1],
): Promise<number> {
  const before = sql`CAST(${finite(policy.before)} AS BIGINT)`
  const keep = sql`CAST(${finite(policy.keep)} AS BIGINT)`
  const limit = sql`CAST(${finite(policy.limit)} AS BIGINT)`
  const lock = database.dialect.concurrent ? sql`FOR UPDATE` : empty
  const [old, raised] = await database.transaction([
    sql`SELECT "floor" FROM "Scope" WHERE "key" = ${scopeKey} ${lock}`,
    sql`
      UPDATE "Scope" SET "floor" = coalesce(
        (
          SELECT min(e."sequence") - 1 FROM "Event" AS e
          WHERE e."scopeKey" = "Scope"."key"
            AND e."sequence" > "Scope"."floor" AND e."sequence" <= "Scope"."floor" + ${limit}
            AND e."sequence" > "Scope"."sequence" - ${keep} AND e."timestamp" >= ${before}
        ),
        CASE WHEN "floor" + ${limit} < "sequence" THEN "floor" + ${limit} ELSE "sequence" END
      ) WHERE "key" = ${scopeKey} RETURNING "floor"`,
    sql`
      DELETE FROM "Event"
      WHERE "scopeKey" = ${scopeKey} AND "sequence" <= (SELECT "floor" FROM "Scope" WHERE "key" = ${scopeKey})`,
  ])
  const [from, to] = [old as Floor, raised as Floor].map(([row]) => Number(row?.floor ?? 0))
  return (to ?? 0) - (from ?? 0)
}

/** A number that the database can take and calculate with: a bound may well be `Infinity`. */
const finite = (bound: number): number => Math.max(-BEYOND, Math.min(BEYOND, Math.trunc(bound)))
