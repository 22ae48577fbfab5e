import type { ScopeId } from '../kernel/ids.ts'
import type { Caller, OpenScope } from './harness.ts'
import type { ScopeLives } from './scope-lives.ts'
import type { Scopes } from './scopes.ts'

/** What scope ids stand for, in their order, by one read; undefined where one is refused. */
export async function openScopes(
  { scopes, lives }: { readonly scopes: Scopes; readonly lives: ScopeLives },
  scopeIds: readonly ScopeId[],
  { principal }: Caller,
): Promise<readonly (OpenScope | undefined)[]> {
  const resolved = await Promise.all(scopeIds.map((scopeId) => scopes.resolve(scopeId, principal)))
  const rows = await scopes.findNamed(resolved.flatMap((found) => found?.storageKey ?? []))
  return scopeIds.map((scopeId, i) => {
    const storageKey = resolved[i]?.storageKey
    if (storageKey === undefined) return undefined
    const scope = rows.get(storageKey)
    const life = scope && lives.find(scope.key)
    return { scopeId, storageKey, scope, lifecycle: life?.state.kind ?? 'active' }
  })
}
