import { MAX_INBOX_SHOWN } from '../../../domain/limits.ts'
import { asScopeId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import type { InboxUpdate } from '../../facade-types.ts'
import { mappedIterator } from '../../mapped-iterator.ts'
import { Permission } from '../../refs.ts'
import { validId } from '../../validated.ts'
import { namedScope, storedUnder } from '../../scope-access.ts'
import { type PermissionView, permissionView, type ScopeView } from '../../views.ts'
import { cursorExpired } from '../event/log-position.ts'

interface Changed extends InboxUpdate {
  readonly scope: ScopeView
}

builder.subscriptionField('pendingPermissions', (t) =>
  t.field({
    type: [Permission],
    description:
      'An inbox: first the requests of the scope that wait, oldest first, maybe none; then those that were asked or ' +
      `resolved since, as they are now. A list has at most ${MAX_INBOX_SHOWN}; more follow in the next. Nothing is ` +
      'missed in between, something may be told twice: keep them by `id`, and drop what is RESOLVED. What an earlier ' +
      'ALWAYS lets pass is not told. Errors: NOT_FOUND for a scope that does not exist, CURSOR_EXPIRED for a client ' +
      'that has not read for so long that the log no longer reaches back.',
    args: { scopeId: t.arg.id({ required: true, validate: validId, description: 'The scope.' }) },
    subscribe: async (_root, { scopeId }, context) => {
      const scope = await namedScope(context, asScopeId(scopeId))
      const { row, storageKey } = scope
      const updates = await context.harness.liveInboxes.follow(row ? { scopeKey: row.key } : { storageKey })
      return mappedIterator(updates, {
        map: (update): Changed => ({ scope, ...update }),
        failure: (error) => (error instanceof Error && error.name === 'CursorExpired' ? cursorExpired() : error),
      })
    },
    resolve: (changed: Changed, _args, context) => permissionsNow(changed, context),
  }),
)

/** A request that was erased with its session is shown as it was told of last. */
async function permissionsNow(
  { scope, permissionIds, cancelled }: Changed,
  { reads }: GraphQLContext,
): Promise<PermissionView[]> {
  const rows = await Promise.all(permissionIds.map((id) => reads.permissions.byId.load(id)))
  return permissionIds.flatMap((id, i) => {
    const row = rows[i]
    if (row) return [permissionView(storedUnder(scope, row.scopeKey), row)]
    const told = cancelled.get(id)
    if (!told) return []
    return [{ kind: 'Permission' as const, scope: storedUnder(scope, told.scopeKey), permission: told.permission }]
  })
}
