import { COUNT_CAP } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { type Count, connectionView } from '../../connection-view.ts'
import type { GraphQLContext } from '../../context.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { pageRequest } from '../../page-request.ts'
import { Session } from '../../refs.ts'
import { validMaxDepth } from '../../validated.ts'
import { type SessionView, sessionView } from '../../views.ts'
import { childCursors, descendantCursors, positionOf, SessionConnection } from './connection.ts'

builder.objectFields(Session, (t) => ({
  children: t.field({
    type: SessionConnection,
    description: 'The sessions that its runs created, newest activity first.',
    args: forwardArguments,
    resolve: async (parent, args, { reads }) => {
      const cursors = childCursors(parent)
      const request = pageRequest(args, cursors)
      const parentKey = parent.row.key
      const after = request.after && { after: request.after }
      return connectionView({
        rows: await reads.sessions.children.load({ parentKey, ...after, limit: request.size + 1 }),
        request,
        nodeOf: (row) => sessionView(parent.scope, row),
        cursorOf: (row) => cursors.encode(positionOf(row)),
        count: async () => ({ total: await reads.sessions.childCount.load(parentKey), capped: false }),
      })
    },
  }),
  descendants: t.field({
    type: SessionConnection,
    description: 'All sessions below it, flat, each parent before its children, siblings oldest first.',
    args: {
      ...forwardArguments,
      maxDepth: t.arg.int({
        validate: validMaxDepth,
        description: 'Only this many levels below it, at least 1; all of them when absent.',
      }),
    },
    resolve: async (session, args, context) => {
      const cursors = descendantCursors(session)
      const request = pageRequest(args, cursors)
      return connectionView({
        rows: await context.reads.sessions.descendants.load({
          ...below(session, args.maxDepth),
          ...(request.after !== undefined && { after: request.after }),
          limit: request.size + 1,
        }),
        request,
        nodeOf: (row) => sessionView(session.scope, row),
        cursorOf: (row) => cursors.encode(row.place.path),
        count: () => countBelow(session, args.maxDepth, context),
      })
    },
  }),
}))

const below = ({ scope, row }: SessionView, maxDepth: number | null | undefined) => ({
  scopeKey: scope.key,
  path: row.place.path,
  ...(maxDepth != null && { maxDepth }),
})

/** Without a limit of levels the session knows the number; with one, its pages are counted. */
async function countBelow(
  session: SessionView,
  maxDepth: number | null | undefined,
  context: GraphQLContext,
): Promise<Count> {
  if (maxDepth == null) return { total: session.row.tree.descendants, capped: false }
  let total = 0
  let after: string | undefined
  do {
    const page = await context.harness.stores.sessions.descendants({
      ...below(session, maxDepth),
      ...(after !== undefined && { after }),
      limit: COUNTED_AT_ONCE,
    })
    total += page.length
    after = page.length < COUNTED_AT_ONCE ? undefined : page.at(-1)?.place.path
  } while (after !== undefined && total <= COUNT_CAP)
  return { total: Math.min(total, COUNT_CAP), capped: total > COUNT_CAP }
}

const COUNTED_AT_ONCE = 500
