import { sequencesOf } from '../../../domain/session/session.ts'
import type { GraphQLContext } from '../../context.ts'
import type { SessionRow } from '../../facade-types.ts'
import type { SessionView } from '../../views.ts'

/** The sessions above a session that exist, the root first. */
export async function ancestorsOf(session: SessionView, context: GraphQLContext): Promise<readonly SessionRow[]> {
  const above = sequencesOf(session.row.place.path).slice(0, -1)
  const rows = await Promise.all(above.map((sequence) => load(session, sequence, context)))
  return rows.filter((ancestor) => ancestor !== null)
}

/** The session right above a session; null for a root. */
export async function parentOf(session: SessionView, context: GraphQLContext): Promise<SessionRow | null> {
  const parent = sequencesOf(session.row.place.path).at(-2)
  return parent === undefined ? null : load(session, parent, context)
}

/** The session at the top of a session's tree, which a root is itself. */
export async function rootOf(session: SessionView, context: GraphQLContext): Promise<SessionRow> {
  const [root] = sequencesOf(session.row.place.path)
  return (root === undefined ? null : await load(session, root, context)) ?? session.row
}

/** By their places on the path, so that what is asked of one session, or of many, is one read. */
const load = ({ scope }: SessionView, value: number, { reads }: GraphQLContext) =>
  reads.sessions.bySequence.load({ scopeKey: scope.key, value })
