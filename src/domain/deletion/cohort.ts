import type { Generation, SessionId } from '../../kernel/ids.ts'
import type { Issue, RefusalOf } from '../../kernel/refusal.ts'
import { idRule } from '../input-rules.ts'
import { MAX_COHORT_ENTRIES, MAX_MISMATCHES_LISTED } from '../limits.ts'
import type { Member } from './tombstone.ts'

/** One generation of a session whose deletion a caller authorises. */
export interface CohortEntry extends Generation {
  readonly sessionId: SessionId
}

/** A session that would be deleted and is not authorised as it is. */
export interface CohortMismatch {
  readonly sessionId: SessionId
  /** What the caller authorised; null when nothing. */
  readonly expected: Generation | null
  readonly actual: Generation
}

/** Issues of a cohort that are listed. */
const MAX_ISSUES = 100

/** What is wrong with a cohort as it is, whatever exists: the first issues, with paths that begin at the field. */
export function cohortIssues(root: CohortEntry, cohort: readonly CohortEntry[]): readonly Issue[] {
  const field = 'authorizedCohort'
  const issues: Issue[] = [...entryIssues(['root'], root)]
  if (cohort.length > MAX_COHORT_ENTRIES) {
    return [...issues, { path: [field], message: `must have at most ${MAX_COHORT_ENTRIES} entries` }]
  }
  const seen = new Map<SessionId, number>()
  for (const [i, entry] of cohort.entries()) {
    issues.push(...entryIssues([field, i], entry))
    const first = seen.get(entry.sessionId)
    if (first !== undefined) {
      issues.push({ path: [field, i, 'sessionId'], message: `is the session of entry ${first} already` })
    } else seen.set(entry.sessionId, i)
  }
  if (!cohort.some((entry) => entry.sessionId === root.sessionId && isSame(entry, root))) {
    issues.push({ path: [field], message: 'must contain the root in exactly its generation' })
  }
  return issues.slice(0, MAX_ISSUES)
}

function entryIssues(path: Issue['path'], entry: CohortEntry): readonly Issue[] {
  const { sessionId, generationId, generationSequence } = entry
  const isSequence = Number.isSafeInteger(generationSequence) && generationSequence > 0
  const messages = {
    sessionId: idRule(sessionId),
    generationId: idRule(generationId),
    generationSequence: isSequence ? undefined : 'must be a positive safe integer',
  }
  return Object.entries(messages).flatMap(([name, message]) =>
    message === undefined ? [] : [{ path: [...path, name], message }],
  )
}

export const isSame = (a: Generation, b: Generation): boolean =>
  a.generationId === b.generationId && a.generationSequence === b.generationSequence

/**
 * What a cohort says about the sessions that would be deleted: a refusal that lists those which it does not authorise in
 * exactly their generation, or undefined when it authorises them all. Entries that no longer exist do not matter.
 */
export function cohortRefusal(
  cohort: readonly CohortEntry[],
  found: readonly Pick<Member, 'sessionId' | 'generation'>[],
): RefusalOf<'COHORT_MISMATCH'> | undefined {
  const authorised = new Map(cohort.map((entry) => [entry.sessionId, entry]))
  const mismatches = found.flatMap(({ sessionId, generation }): readonly CohortMismatch[] => {
    const expected = authorised.get(sessionId)
    if (expected && isSame(expected, generation)) return []
    return [{ sessionId, expected: expected ? generationOf(expected) : null, actual: generation }]
  })
  if (mismatches.length === 0) return undefined
  return {
    code: 'COHORT_MISMATCH',
    message:
      `${mismatches.length} of the sessions that would be deleted are not authorised in exactly their generation. ` +
      'Nothing was deleted. Read the cohort again and decide again.',
    sessions: mismatches.slice(0, MAX_MISMATCHES_LISTED),
    totalMismatches: mismatches.length,
  }
}

const generationOf = ({ generationId, generationSequence }: Generation): Generation => ({ generationId, generationSequence })
