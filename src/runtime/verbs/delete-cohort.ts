import type { ScopeKey } from '../../kernel/ids.ts'
import { type Answer, done, no, type RefusalOf } from '../../kernel/refusal.ts'
import { cohortIssues, cohortRefusal, isSame } from '../../domain/deletion/cohort.ts'
import type { Tombstone } from '../../domain/deletion/tombstone.ts'
import { idRule } from '../../domain/input-rules.ts'
import { reserve } from '../deletion/reserve.ts'
import { tombstonesAt } from '../deletion/read-structure.ts'
import type { Caller, CommonRefusal, DeleteSessionGenerationCohort } from '../harness.ts'
import type { ScopeLife } from '../scope-life.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'

type CohortAnswer = Answer<boolean, CommonRefusal | RefusalOf<'COHORT_MISMATCH'>>

const MAX_TRIES = 5

/**
 * Deletes a subtree if the caller authorises exactly what that deletes. True when nothing of it is left; false when the root
 * is not there in exactly its generation: then nothing happened.
 */
export async function deleteCohort(deps: VerbDeps, input: DeleteSessionGenerationCohort, caller: Caller): Promise<CohortAnswer> {
  const { scopeId, root, authorizedCohort } = input
  const refusal = refusedFor([...checked(['scopeId'], scopeId, idRule), ...cohortIssues(root, authorizedCohort)])
  if (refusal) return no(refusal)
  const resolved = await deps.scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await deps.scopes.keyOf(resolved.storageKey))
  if (scopeKey === undefined) return done(false)
  const life = deps.lives.of(scopeKey)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await attempt(deps, { scopeKey, life, input, by: caller.principal })
    if (answer) return answer
  }
  return no(contended)
}

interface Deletion {
  readonly scopeKey: ScopeKey
  readonly life: ScopeLife
  readonly input: DeleteSessionGenerationCohort
  readonly by: string
}

/** Undefined when somebody else was faster: then look again. */
async function attempt(deps: VerbDeps, deletion: Deletion): Promise<CohortAnswer | undefined> {
  const { scopeKey, life, input, by } = deletion
  const { root, authorizedCohort } = input
  const { structure } = deps.stores
  const slot = await structure.slot(scopeKey, root.sessionId)
  if (slot.kind === 'absent') return done(false)
  if (slot.kind === 'tombstoned') {
    const [tombstone] = await structure.tombstonesOf([slot.key])
    return tombstone && resume(deps, deletion, tombstone)
  }
  const { key } = slot
  const top = await structure.top(key)
  if (!top) return undefined
  if (!isSame(top.generation, root)) return done(false)
  const reserved = await reserve(deps, {
    scopeKey,
    life,
    key,
    by,
    unless: ({ members, tombstones }) => cohortRefusal(authorizedCohort, [...members, ...tombstones]),
  })
  if (reserved.kind === 'gone') return undefined
  if (reserved.kind === 'refused') return no(reserved.refusal)
  if (reserved.kind === 'contended') return no(contended)
  await deps.deletions.finish(scopeKey, key)
  return done(true)
}

/** What is finished is the whole group of the root and all groups below: no more than that ever belongs to them. */
async function resume(
  deps: VerbDeps,
  { scopeKey, life, input }: Deletion,
  tombstone: Tombstone,
): Promise<CohortAnswer | undefined> {
  const { structure } = deps.stores
  if (!isSame(tombstone.generation, input.root)) return done(false)
  const [top] = await structure.tombstonesOf([tombstone.group])
  if (!top) return undefined
  const refusal = cohortRefusal(input.authorizedCohort, await tombstonesAt(structure, scopeKey, top.path)) ?? life.refusal
  if (refusal) return no(refusal)
  await deps.deletions.finish(scopeKey, tombstone.group)
  return done(true)
}
