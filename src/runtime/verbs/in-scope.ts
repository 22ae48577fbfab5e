import type { ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { Caller } from '../harness.ts'
import type { VerbDeps } from './deps.ts'

/**
 * What a caller names by an id of its own, if it belongs to a session of the scope. A scope that is refused, and what
 * belongs to another one, look like what is not there.
 */
export async function inScope<Row extends { readonly sessionKey: SessionKey }>(
  { scopes, stores }: VerbDeps,
  { scopeId, caller }: { readonly scopeId: ScopeId; readonly caller: Caller },
  find: () => Promise<readonly Row[]>,
): Promise<Row | undefined> {
  const resolved = await scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await scopes.keyOf(resolved.storageKey))
  if (scopeKey === undefined) return undefined
  const [row] = await find()
  const [session] = row ? await stores.sessions.findMany([row.sessionKey]) : []
  return session?.scopeKey === scopeKey ? row : undefined
}
