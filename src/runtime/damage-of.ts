import { whyDamaged } from '../domain/session/lineage.ts'
import { sequencesOf, type Session } from '../domain/session/session.ts'
import type { Stores } from '../ports/stores/stores.ts'

/** Why a session does not fit into its tree, as that is stored. Rejects as the stores do. */
export async function damageOf({ sessions }: Pick<Stores, 'sessions'>, session: Session): Promise<string | undefined> {
  const { key, scopeKey, place } = session
  const line = place.depth === 0 ? [] : await sessions.findBySequence(scopeKey, sequencesOf(place.path))
  const why = whyDamaged(session, line)
  if (why === undefined) return undefined
  // A deletion takes it away together with what is above it: then nothing is damaged.
  const [left] = await sessions.findMany([key])
  return left && why
}
