import { MAX_REMEMBER_KEY_BYTES } from '../../../domain/limits.ts'
import { Grant, Permission, Session } from '../../refs.ts'
import { permissionView, sessionView } from '../../views.ts'

Grant.implement({
  description:
    'An ALWAYS that is remembered: requests with its key pass without asking, in its session and all below it.',
  fields: (t) => ({
    rememberKey: t.string({
      description: `What it is remembered under, at most ${MAX_REMEMBER_KEY_BYTES} UTF-8 bytes. Unique in its session.`,
      resolve: ({ row }) => row.rememberKey,
    }),
    grantedBy: t.string({ description: 'The principal who granted it.', resolve: ({ row }) => row.grantedBy }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was granted.', resolve: ({ row }) => row.createdAt }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session in which it is stored, where it can be revoked; null once that is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const session = await reads.sessions.byKey.load(row.sessionKey)
        return session && sessionView(scope, session)
      },
    }),
    permission: t.field({
      type: Permission,
      nullable: true,
      description: 'The request that was answered with ALWAYS; null once it is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const permission = await reads.permissions.byId.load(row.permissionId)
        return permission && permissionView(scope, permission)
      },
    }),
  }),
})
