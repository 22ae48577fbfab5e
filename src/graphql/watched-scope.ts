import type { ScopeId } from '../kernel/ids.ts'
import type { GraphQLContext } from './context.ts'
import { noSuch } from './refusal-error.ts'
import { readableScope, storedUnder } from './scope-access.ts'
import type { ScopeRef } from './views.ts'

/**
 * The scope that a subscription watches; one in which nothing was stored yet gets its row, so that its first event is
 * not missed. Throws NOT_FOUND where the caller may not read.
 */
export async function watchedScope(context: GraphQLContext, scopeId: ScopeId): Promise<ScopeRef> {
  const view = await readableScope(context, scopeId)
  const row = view?.row ?? (view && (await context.harness.ensureScope(scopeId, context.caller))?.scope)
  if (!view || !row) throw noSuch('scope', scopeId)
  return storedUnder(view, row.key)
}

/** Throws NOT_FOUND when the caller may no longer read the scope: what may change is asked again for every event. */
export function assertStillReadable({ access }: GraphQLContext, { scopeId }: ScopeRef): void {
  if (!access.may('read', scopeId)) throw noSuch('scope', scopeId)
}
