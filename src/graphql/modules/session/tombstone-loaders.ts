import type { CohortEntry } from '../../../domain/deletion/cohort.ts'
import { MAX_COHORT_ENTRIES } from '../../../domain/limits.ts'
import type { SubtreeQuery, Stores, TombstoneRow } from '../../facade-types.ts'
import { invalidArgument } from '../../refusal-error.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

const PAGE = 2000
/** Subtrees that are read for one operation at once: each may be large. */
export const MAX_COHORTS = 20

type Structure = Stores['structure']
type Subtree = Pick<SubtreeQuery, 'scopeKey' | 'path'>

interface After {
  readonly after?: string
}

/** Reads sessions that are being deleted, and what would be. */
export const tombstoneLoaders = (structure: Structure) => ({
  byKey: rowLoader(
    (keys) => structure.tombstonesOf(keys),
    (row: TombstoneRow) => row.key,
  ),
  cohort: batchLoader(async (subtrees: readonly Subtree[]) => {
    if (subtrees.length > MAX_COHORTS) {
      throw invalidArgument(['cohort'], `can be asked of at most ${MAX_COHORTS} sessions at once`)
    }
    const cohorts: (readonly CohortEntry[] | null)[] = []
    for (const subtree of subtrees) cohorts.push(await cohortOf(structure, subtree))
    return cohorts
  }),
})

/** Null when there are too many. */
async function cohortOf(structure: Structure, subtree: Subtree): Promise<readonly CohortEntry[] | null> {
  const entries: CohortEntry[] = []
  const lists = [
    (after: After) => structure.members({ ...subtree, limit: PAGE, ...after }),
    // After the living: who dies in between is named twice at worst.
    (after: After) => structure.tombstones({ ...subtree, limit: PAGE, ...after }),
  ]
  for (const list of lists) {
    for (let after: After = {}; ; ) {
      const page = await list(after)
      for (const { sessionId, generation } of page) entries.push({ sessionId, ...generation })
      if (entries.length > MAX_COHORT_ENTRIES) return null
      const last = page.at(-1)
      if (!last || page.length < PAGE) break
      after = { after: last.path }
    }
  }
  return [...new Map(entries.map((entry) => [entry.generationSequence, entry])).values()]
}
