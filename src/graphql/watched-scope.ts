import type { ScopeId } from '../kernel/ids.ts'
import type { GraphQLContext } from './context.ts'
import { noSuch } from './refusal-error.ts'
import { namedScope, storedUnder } from './scope-access.ts'
import type { ScopeRef } from './views.ts'

/**
 * The scope that a subscription watches; one in which nothing was stored yet gets its row, so that its first event is
 * not missed. Throws NOT_FOUND where the caller may not read.
 */
export async function watchedScope(context: GraphQLContext, scopeId: ScopeId): Promise<ScopeRef> {
  const view = await namedScope(context, scopeId)
  const row = view.row ?? (await context.harness.ensureScope(scopeId, context.caller))?.scope
  if (!row) throw noSuch('scope', scopeId)
  return storedUnder(view, row.key)
}
