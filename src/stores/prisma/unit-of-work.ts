import { revisionsOf } from '../../domain/deletion/tombstone.ts'
import type { ScopeKey } from '../../kernel/ids.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Commit, Committed, UnitOfWork } from '../../ports/stores/unit-of-work.ts'
import type { ChangeCheck } from './change-check.ts'
import { outcomeOf } from './commit-outcome.ts'
import { commitStatements } from './commit-statements.ts'
import { explained } from './explain-failure.ts'
import { type GroupWrites, groupWrites } from './group-writes.ts'
import type { MigratedDatabase } from './migrated-database.ts'
import { sql } from './sql.ts'

/**
 * Commits groups of changes. A group is one transaction of bulk statements that are all known before it begins, so
 * its length in time does not depend on this process. What a failure says about it comes from the database; what the
 * database could not say is `uncertain`, and `outcomeOf` then decides the fate of the transaction. A failure that is
 * not about what the group expected casts doubt on whether the database takes changes.
 */
export function unitOfWork(on: MigratedDatabase, check: ChangeCheck): UnitOfWork {
  const { database } = on
  const { dialect } = database
  return {
    async commit(writeId, group) {
      if (group.length === 0) return []
      const writes = groupWrites(group)
      const { statements, counted } = commitStatements(dialect, { writeId, members: group.length, writes })
      try {
        const results = await database.transaction(statements)
        return numbersOf(group, writes, results[counted] as readonly ScopeCount[])
      } catch (error) {
        const failure = await explained(on, writes, error)
        if (!isExpected(failure)) check.doubt()
        throw failure
      }
    },

    outcomeOf: (writeId) => outcomeOf(database, writeId),

    forget: (before, limit) =>
      database.change(
        sql`DELETE FROM "CommitRecord" WHERE ${dialect.atMost('CommitRecord', sql`"createdAt" < ${before}`, limit)}`,
      ),
  }
}

const isExpected = (error: unknown): boolean =>
  error instanceof StoreFailure && (error.failure === 'conflict' || error.failure === 'fenced')

interface ScopeCount {
  readonly key: bigint
  readonly revision: bigint
  readonly sequence: bigint
}

/** What the scopes have counted up to is the end of the group, so the numbers of its commits end there. */
function numbersOf(
  group: readonly Commit[],
  { scopes }: GroupWrites,
  counts: readonly ScopeCount[],
): readonly Committed[] {
  const next = new Map<ScopeKey, Committed>()
  for (const { key, revision, sequence } of counts) {
    const scopeKey = Number(key) as ScopeKey
    const { revisions = 0, events = 0 } = scopes.get(scopeKey) ?? {}
    next.set(scopeKey, {
      firstSequence: Number(sequence) - events + 1,
      firstRevision: Number(revision) - revisions + 1,
    })
  }
  return group.map(({ scopeKey, created, structure, events }) => {
    const first = next.get(scopeKey)
    if (!first) throw new StoreFailure('fatal', `The group was committed although there is no scope ${scopeKey}.`)
    const { firstSequence, firstRevision } = first
    next.set(scopeKey, {
      firstSequence: firstSequence + events.length,
      firstRevision: firstRevision + created.length + revisionsOf(structure),
    })
    return first
  })
}
