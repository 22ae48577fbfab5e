import { sequencesOf } from '../../../domain/session/session.ts'
import type { GraphQLContext } from '../../context.ts'
import type { SessionRow } from '../../facade-types.ts'
import type { SessionView } from '../../views.ts'

/** The sessions above a session that exist, the root first. */
export async function ancestorsOf(
  { scope, row }: SessionView,
  { reads }: GraphQLContext,
): Promise<readonly SessionRow[]> {
  const sequences = sequencesOf(row.place.path).slice(0, -1)
  const rows = await Promise.all(
    sequences.map((value) => reads.sessions.bySequence.load({ scopeKey: scope.key, value })),
  )
  return rows.filter((ancestor) => ancestor !== null)
}
