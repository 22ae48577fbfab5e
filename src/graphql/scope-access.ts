import type { ScopeId, ScopeKey } from '../kernel/ids.ts'
import type { OpenScope } from '../runtime/harness.ts'
import type { GraphQLContext } from './context.ts'
import { noSuch, RefusalError } from './refusal-error.ts'
import { refOf, type ScopeRef, type ScopeView } from './views.ts'

/** The scope, if the caller may read it; null otherwise. */
export async function readableScope({ reads }: GraphQLContext, scopeId: ScopeId): Promise<ScopeView | null> {
  const open = await reads.scopes.readable.load(scopeId)
  return open && viewOf(open)
}

/** The scope, if the caller may read it and something is stored in it; null otherwise. */
export async function storedScope(context: GraphQLContext, scopeId: ScopeId): Promise<ScopeRef | null> {
  const scope = await readableScope(context, scopeId)
  return (scope && refOf(scope)) ?? null
}

/** The scope that a mutation wants to change. Throws NOT_FOUND where the caller may not even read, else FORBIDDEN. */
export async function operableScope(context: GraphQLContext, scopeId: ScopeId): Promise<ScopeView> {
  const scope = await readableScope(context, scopeId)
  if (!scope) throw noSuch('scope', scopeId)
  if (context.access.may('operate', scopeId)) return scope
  throw new RefusalError({ code: 'FORBIDDEN', message: 'You may see this scope, but not change it.' })
}

/** How the scope is seen now that something is stored in it. */
export const storedUnder = ({ scopeId, storageKey }: ScopeView, key: ScopeKey): ScopeRef => ({
  scopeId,
  storageKey,
  key,
})

const viewOf = ({ scopeId, storageKey, scope }: OpenScope): ScopeView => ({
  kind: 'Scope',
  scopeId,
  storageKey,
  row: scope,
})
