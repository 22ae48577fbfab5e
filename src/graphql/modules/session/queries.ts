import { asScopeId, asSessionId } from '../../../kernel/ids.ts'
import { COUNT_CAP } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { type Count, connectionView, emptyConnection } from '../../connection-view.ts'
import type { GraphQLContext } from '../../context.ts'
import type { SessionFilter as StoreFilter } from '../../facade-types.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { pageRequest } from '../../page-request.ts'
import { Scope, Session } from '../../refs.ts'
import { storedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import { refOf, type ScopeRef, type SessionView, sessionView } from '../../views.ts'
import { positionOf, SessionConnection, sessionCursors } from './connection.ts'
import { findSession } from './find-session.ts'
import { SessionFilter, storeFilter } from './filter.ts'

builder.queryField('session', (t) =>
  t.field({
    type: Session,
    nullable: true,
    description: 'A session by its ids; null when it does not exist, or the caller may not see it.',
    args: {
      scopeId: t.arg.id({ required: true, validate: validId, description: 'The scope.' }),
      sessionId: t.arg.id({ required: true, validate: validId, description: 'The session within the scope.' }),
    },
    resolve: async (_root, { scopeId, sessionId }, context) => {
      const scope = await storedScope(context, asScopeId(scopeId))
      return scope && findSession(context, scope, asSessionId(sessionId))
    },
  }),
)

builder.objectFields(Scope, (t) => ({
  session: t.field({
    type: Session,
    nullable: true,
    description: 'A session of the scope by its id; null when it does not exist.',
    args: { sessionId: t.arg.id({ required: true, validate: validId, description: 'The session within the scope.' }) },
    resolve: async (view, { sessionId }, context) => {
      const scope = refOf(view)
      return scope ? findSession(context, scope, asSessionId(sessionId)) : null
    },
  }),
  sessions: t.field({
    type: SessionConnection,
    description: 'The sessions of the scope, newest activity first.',
    args: {
      ...forwardArguments,
      filter: t.arg({ type: SessionFilter, description: 'Which sessions; all when absent.' }),
    },
    resolve: async (view, args, context) => {
      const cursors = sessionCursors(view)
      const request = pageRequest(args, cursors)
      const scope = refOf(view)
      if (!scope) return emptyConnection<SessionView>()
      const filter = storeFilter(args.filter)
      const { sessions } = context.harness.stores
      const after = request.after && { after: request.after }
      const rows = await sessions.page({ scopeKey: scope.key, filter, ...after, limit: request.size + 1 })
      return connectionView({
        rows: context.reads.sessions.seen(rows),
        request,
        nodeOf: (row) => sessionView(scope, row),
        cursorOf: (row) => cursors.encode(positionOf(row)),
        count: () => countSessions(scope, filter, context),
      })
    },
  }),
  sessionCount: t.field({
    type: 'NonNegativeInt',
    description: 'Sessions of the scope, children included. Exact.',
    resolve: async (view, _args, context) => {
      const scope = refOf(view)
      return scope ? (await countSessions(scope, {}, context)).total : 0
    },
  }),
}))

/** Exact where an index answers; otherwise up to the cap. */
async function countSessions(scope: ScopeRef, filter: StoreFilter, { harness }: GraphQLContext): Promise<Count> {
  const { rootsOnly: _, ...others } = filter
  const cap = Object.keys(others).length === 0 ? Number.MAX_SAFE_INTEGER : COUNT_CAP
  const total = await harness.stores.sessions.count(scope.key, filter, cap === COUNT_CAP ? cap + 1 : cap)
  return { total: Math.min(total, cap), capped: total > cap }
}
