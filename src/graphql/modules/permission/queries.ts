import { MAX_INBOX_SHOWN, MAX_PERMISSIONS_SHOWN } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import type { GrantRow } from '../../facade-types.ts'
import { Grant, Permission, Run, Scope, Session } from '../../refs.ts'
import { permissionView, refOf, type SessionView } from '../../views.ts'
import { ancestorsOf } from '../session/above.ts'

builder.objectField(Scope, 'pendingPermissions', (t) =>
  t.field({
    type: [Permission],
    description:
      `The requests of the scope that wait for a person, oldest first, at most ${MAX_INBOX_SHOWN}. The subscription ` +
      '`pendingPermissions` tells of all.',
    resolve: async (view, _args, { harness }) => {
      const scope = refOf(view)
      if (!scope) return []
      const rows = await harness.stores.permissions.inbox(scope.key, undefined, MAX_INBOX_SHOWN)
      return rows.map((row) => permissionView(scope, row))
    },
  }),
)

builder.objectFields(Session, (t) => ({
  permissions: t.field({
    type: [Permission],
    description: 'What its runs ask, or have asked, a person.',
    args: {
      pending: t.arg.boolean({
        defaultValue: false,
        description:
          `True: only those that wait, all of them, oldest first. Otherwise the newest ${MAX_PERMISSIONS_SHOWN}, ` +
          'waiting or not, newest first.',
      }),
    },
    resolve: async ({ scope, row }, { pending }, { reads }) => {
      const { permissions } = reads
      const rows = await (pending === true ? permissions.pending : permissions.latest).load(row.key)
      return rows.map((permission) => permissionView(scope, permission))
    },
  }),
  grants: t.field({
    type: [Grant],
    description: 'What an ALWAYS lets pass here, oldest first: its own and those of the sessions above it.',
    resolve: async (session, _args, context) => {
      const rows = await grantsFor(session, context)
      return rows.map((row) => ({ scope: session.scope, row }))
    },
  }),
}))

async function grantsFor(session: SessionView, context: GraphQLContext): Promise<readonly GrantRow[]> {
  const line = [...(await ancestorsOf(session, context)), session.row]
  const grants = await Promise.all(line.map(({ key }) => context.reads.permissions.grants.load(key)))
  return grants.flat().toSorted((one, other) => one.createdAt - other.createdAt)
}

builder.objectField(Run, 'permissions', (t) =>
  t.field({
    type: [Permission],
    description: 'What it asks, or has asked, a person, oldest first.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const rows = await reads.permissions.ofRun.load(row.runId)
      return rows.map((permission) => permissionView(scope, permission))
    },
  }),
)
