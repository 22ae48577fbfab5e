import { assignments, inserts, sources, updates } from './bulk.ts'
import { chunkOwner, chunkTable } from './chunk-row.ts'
import type { CommitGroup } from './commit-group.ts'
import type { Dialect } from './dialect.ts'
import { eventColumns, eventColumnsDrafted, eventRow } from './event-row.ts'
import type { GroupWrites, NumberedWrite } from './group-writes.ts'
import { guard } from './guard.ts'
import { contentRow, newSessionRow, sessionColumnsAdded, sessionTable } from './session-row.ts'
import { join, names, raw, sql, type Sql } from './sql.ts'
import { omit, pick } from './table.ts'
import { usageColumns } from './usage-columns.ts'

/**
 * The statements of a commit group, in their order. How many there are depends on which tables the group changes, not on
 * its size, but for the pages of bulk statements.
 *
 * Order of locks, where transactions run beside each other: the rows of sessions by ascending key, whether they are
 * compared and set or only gain; then what hangs on them; the rows of scopes last, as everybody in a scope needs them.
 * Only who holds the row of a scope creates sessions and events in it.
 */
export interface CommitStatements {
  readonly statements: readonly Sql[]
  /** Which of them answers with what the scopes have counted up to. */
  readonly counted: number
}

export function commitStatements(dialect: Dialect, group: CommitGroup): CommitStatements {
  const { writes } = group
  const before = [
    ...sessionLocks(dialect, writes),
    ...compareAndSets(dialect, group),
    guard(dialect, group),
    ...folds(dialect, writes),
    ...writes.tables.flatMap(({ table, updates: rows }) => updates(dialect, table, rows)),
    ...writes.tables.flatMap(({ table: { name: into, columns }, inserts: rows }) =>
      inserts(dialect, { into, columns, rows }),
    ),
    ...scopeLocks(dialect, writes),
  ]
  // Sessions may gain in the commit that creates them.
  const after = [...newSessions(dialect, group), ...gains(dialect, writes), ...newEvents(dialect, writes)]
  return {
    statements: [...before, counts(dialect, writes), ...after],
    counted: before.length,
  }
}

/** A single session needs none: the statement that compares and sets it, which comes first, waits for it. */
function sessionLocks(dialect: Dialect, { sessions, rollUps }: GroupWrites): readonly Sql[] {
  if (!dialect.concurrent || (sessions.length < 2 && rollUps.length === 0)) return []
  const written = sources(dialect, { key: 'bigint' }, sessions.map(({ row: { key } }) => ({ key })))
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

function compareAndSets(dialect: Dialect, { writeId, writes }: CommitGroup): readonly Sql[] {
  const { columns, key, mutable } = sessionTable
  const rows = writes.sessions.map(({ row, expected }) => ({
    ...contentRow(row),
    expectedRevision: expected.revision,
    expectedEpoch: expected.epoch,
  }))
  const given = { ...pick(columns, [...key, ...mutable]), expectedRevision: 'bigint', expectedEpoch: 'bigint' } as const
  return sources(dialect, given, rows).map(
    (source) => sql`
      UPDATE "Session" AS t SET ${assignments(mutable)}, "writeId" = ${writeId} FROM ${source}
      WHERE t."key" = j."key" AND t."revision" = j."expectedRevision" AND t."epoch" = j."expectedEpoch"`,
  )
}

const treeTotals: Readonly<Record<string, string>> = {
  treeInputTokens: 'inputTokens',
  treeOutputTokens: 'outputTokens',
  treeTotalTokens: 'totalTokens',
  treeReasoningTokens: 'reasoningTokens',
  treeCachedInputTokens: 'cachedInputTokens',
  descendants: 'descendants',
}

const additions = raw(
  Object.entries(treeTotals)
    .map(([total, gain]) => `"${total}" = t."${total}" + j."${gain}"`)
    .join(', '),
)

function gains(dialect: Dialect, { rollUps }: GroupWrites): readonly Sql[] {
  const given = { scopeKey: 'bigint', path: 'text', ...usageColumns, descendants: 'bigint' } as const
  return sources(dialect, given, rollUps).map(
    (source) => sql`
      UPDATE "Session" AS t SET ${additions} FROM ${source}
      WHERE t."scopeKey" = j."scopeKey" AND t."path" = j."path"`,
  )
}

function folds(dialect: Dialect, { folded }: GroupWrites): readonly Sql[] {
  const owner = names(chunkOwner)
  return sources(dialect, pick(chunkTable.columns, chunkOwner), folded).map(
    (source) => sql`DELETE FROM "PartChunk" WHERE (${owner}) IN (SELECT ${names(chunkOwner, 'j.')} FROM ${source})`,
  )
}

function scopeLocks(dialect: Dialect, { scopes }: GroupWrites): readonly Sql[] {
  if (!dialect.concurrent || scopes.size < 2) return []
  const which = dialect.oneOf(sql`"key"`, [...scopes.keys()])
  return [sql`SELECT "key" FROM "Scope" WHERE ${which} ORDER BY "key" FOR UPDATE`]
}

/** Counts revisions and events of the scopes, or only reads how far they are when the group has neither. */
function counts(dialect: Dialect, { scopes }: GroupWrites): Sql {
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
const joinSession = sql`LEFT JOIN "Session" AS t ON t."key" = j."sessionKey" AND t."scopeKey" = j."scopeKey"`

/** How far behind the last of its kind in its scope a write is, which is not more than 0. */
const offsetOf = ({ ordinal }: NumberedWrite<unknown>, total: number | undefined): number => ordinal - (total ?? 0)

function newSessions(dialect: Dialect, { writeId, writes }: CommitGroup): readonly Sql[] {
  const generationSequence = sql`s."revision" + j."offset"`
  return inserts(dialect, {
    into: sessionTable.name,
    columns: omit(sessionTable.columns, sessionColumnsAdded),
    rows: writes.created.map((write) => ({
      ...newSessionRow(write.value),
      offset: offsetOf(write, writes.scopes.get(write.scopeKey)?.revisions),
      parentPath: write.value.place.parentPath,
    })),
    helpers: { offset: 'bigint', parentPath: 'text' },
    computed: {
      generationSequence,
      path: sql`j."parentPath" || ${dialect.pathStep(generationSequence)}`,
      writeId: sql`${writeId}`,
    },
    joins: joinScope,
  })
}

function newEvents(dialect: Dialect, writes: GroupWrites): readonly Sql[] {
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
      sessionId: sql`t."sessionId"`,
      generationId: sql`t."generationId"`,
      generationSequence: sql`t."generationSequence"`,
      path: sql`t."path"`,
    },
    joins: sql`${joinScope} ${joinSession}`,
  })
}
