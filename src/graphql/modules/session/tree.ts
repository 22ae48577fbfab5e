import { builder } from '../../builder.ts'
import { Session } from '../../refs.ts'
import { sessionView } from '../../views.ts'
import { Usage } from '../run/usage.ts'
import { ancestorsOf, parentOf, rootOf } from './above.ts'
import { SessionStatus } from './enums.ts'

builder.objectFields(Session, (t) => ({
  parent: t.field({
    type: Session,
    nullable: true,
    description: 'The session whose run created it; null for a root.',
    resolve: async (session, _args, context) => {
      const parent = await parentOf(session, context)
      return parent && sessionView(session.scope, parent)
    },
  }),
  root: t.field({
    type: Session,
    description: 'The session at the top of its tree: itself for a root.',
    resolve: async (session, _args, context) => sessionView(session.scope, await rootOf(session, context)),
  }),
  ancestors: t.field({
    type: [Session],
    description: 'The sessions above it, the root first, its parent last.',
    resolve: async (session, _args, context) => {
      const rows = await ancestorsOf(session, context)
      return rows.map((row) => sessionView(session.scope, row))
    },
  }),
  descendantCount: t.field({
    type: 'NonNegativeInt',
    description: 'Sessions below it, at any depth.',
    resolve: ({ row }) => row.tree.descendants,
  }),
  treeStatus: t.field({
    type: SessionStatus,
    description: 'The highest status of the session and all sessions below it: AWAITING_PERMISSION, BUSY, IDLE.',
    resolve: ({ scope, row }, _args, { reads }) =>
      reads.sessions.treeStatus.load({ scopeKey: scope.key, value: row.place.path }),
  }),
  treeUsage: t.field({
    type: Usage,
    description: 'Tokens of the session and all sessions below it, those that were deleted included.',
    resolve: ({ row }) => row.tree.usage,
  }),
}))
