import type { ScopeKey } from '../../kernel/ids.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import { type TitlePiece, titlePieces } from './title-grams.ts'

/** Counting the sessions that have a piece stops here. */
const ENOUGH = 1000

export interface TitleSearch {
  /** The condition that `g`, a row of `TitleGram`, has the rarest piece of the text: each session once. */
  readonly candidates: Sql
  /** Whether they are so few that all of them can be looked at. */
  readonly areFew: boolean
}

/**
 * How sessions are found whose titles may contain the text, which is not empty; undefined when there are none. What it
 * says about their number may be out of date when it is used, which costs time alone.
 */
export async function titleSearch(
  database: Database,
  scopeKey: ScopeKey,
  text: string,
): Promise<TitleSearch | undefined> {
  const given = { low: 'bigint', high: 'bigint', bytes: 'integer' } as const
  const [source] = sources(database.dialect, given, titlePieces(text))
  if (!source) return undefined
  const has = sql`g."scopeKey" = ${scopeKey} AND g."gram" >= j."low" AND g."gram" <= j."high" AND g."shared" < j."bytes"`
  const [rarest] = await database.rows<CountedPiece>(sql`
    SELECT j."low", j."high", j."bytes", (
      SELECT count(*) FROM (SELECT 1 FROM "TitleGram" AS g WHERE ${has} LIMIT ${ENOUGH}) AS counted
    ) AS "sessions" FROM ${source} ORDER BY "sessions" LIMIT 1`)
  if (!rarest || Number(rarest.sessions) === 0) return undefined
  return { candidates: hasPiece(scopeKey, rarest), areFew: Number(rarest.sessions) < ENOUGH }
}

type CountedPiece = Record<keyof TitlePiece | 'sessions', bigint | number>

const hasPiece = (scopeKey: ScopeKey, { low, high, bytes }: CountedPiece): Sql => sql`
  g."scopeKey" = ${scopeKey} AND g."gram" >= ${low} AND g."gram" <= ${high} AND g."shared" < ${Number(bytes)}`
