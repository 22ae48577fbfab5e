import { assignments, deletes, inserts, sources, updates } from './bulk.ts'
import { chunkOwner, chunkTable } from './chunk-row.ts'
import type { CommitGroup } from './commit-group.ts'
import type { Dialect } from './dialect.ts'
import { grantTable } from './grant-row.ts'
import type { GroupWrites } from './group-writes.ts'
import { guard } from './guard.ts'
import { counts, newEvents, newSessions } from './numbered-statements.ts'
import { groupLocks, scopeLocks, sessionLocks } from './row-locks.ts'
import { contentRow } from './session-row.ts'
import { finished, reserved } from './structure-statements.ts'
import { sessionTable } from './session-table.ts'
import { raw, sql, type Sql } from './sql.ts'
import { pick } from './table.ts'
import { titleGramColumns, titleGramRows } from './title-gram-row.ts'
import { usageColumns } from './usage-columns.ts'

/**
 * The statements of a commit group, in their order. How many there are depends on which tables the group changes, not
 * on its size, but for the pages of bulk statements.
 *
 * Order of locks, where transactions run beside each other: the rows of sessions by ascending key, whether they are
 * compared and set or only gain; then what hangs on them; the rows of scopes last, as everybody in a scope needs
 * them. Only who holds the row of a scope creates sessions and events in it.
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
    ...groupLocks(dialect, writes),
    ...compareAndSets(dialect, group),
    guard(dialect, group),
    ...deletes(dialect, pick(chunkTable.columns, chunkOwner), { from: chunkTable.name, rows: writes.folded }),
    ...deletes(dialect, pick(grantTable.columns, grantTable.key), { from: grantTable.name, rows: writes.revoked }),
    ...writes.tables.flatMap(({ table, updates: rows }) => updates(dialect, table, rows)),
    ...writes.tables.flatMap(({ table: { name: into, columns }, inserts: rows }) =>
      inserts(dialect, { into, columns, rows }),
    ),
    ...titles(dialect, writes),
    ...scopeLocks(dialect, writes),
  ]
  // Sessions may gain in the commit that creates them.
  const after = [
    ...newSessions(dialect, group),
    ...gains(dialect, writes),
    ...reserved(dialect, writes),
    ...newEvents(dialect, writes),
    ...finished(writes),
  ]
  return {
    statements: [...before, counts(dialect, writes), ...after],
    counted: before.length,
  }
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
  treeChanges: 'changes',
}

const additions = raw(
  Object.entries(treeTotals)
    .map(([total, gain]) => `"${total}" = t."${total}" + j."${gain}"`)
    .join(', '),
)

function gains(dialect: Dialect, { rollUps }: GroupWrites): readonly Sql[] {
  const given = { scopeKey: 'bigint', path: 'text', ...usageColumns, descendants: 'bigint', changes: 'bigint' } as const
  return sources(dialect, given, rollUps).map(
    (source) => sql`
      UPDATE "Session" AS t SET ${additions} FROM ${source}
      WHERE t."scopeKey" = j."scopeKey" AND t."path" = j."path"`,
  )
}

/** What sessions are found by: that of another title is replaced. The guard has seen that the sessions are there. */
function titles(dialect: Dialect, { retitled, created }: GroupWrites): readonly Sql[] {
  const before = sources(dialect, { key: 'bigint' }, retitled).map(
    (source) => sql`DELETE FROM "TitleGram" WHERE "sessionKey" IN (SELECT j."key" FROM ${source})`,
  )
  const rows = [...retitled, ...created.map(({ value }) => value)].flatMap(titleGramRows)
  return [...before, ...inserts(dialect, { into: 'TitleGram', columns: titleGramColumns, rows })]
}
