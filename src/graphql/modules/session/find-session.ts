import type { SessionId } from '../../../kernel/ids.ts'
import type { GraphQLContext } from '../../context.ts'
import { type ScopeRef, type SessionView, sessionView } from '../../views.ts'

/** A session of the scope by its id; null when it does not exist. */
export async function findSession(
  { reads }: GraphQLContext,
  scope: ScopeRef,
  sessionId: SessionId,
): Promise<SessionView | null> {
  const row = await reads.sessions.byId.load({ scopeKey: scope.key, value: sessionId })
  return row && sessionView(scope, row)
}
