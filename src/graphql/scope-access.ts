import type { ScopeId, ScopeKey } from '../kernel/ids.ts'
import type { OpenScope } from '../runtime/harness.ts'
import type { GraphQLContext } from './context.ts'
import { noSuch } from './refusal-error.ts'
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

/** The scope that an operation names, which it does not enter without reading it. Throws NOT_FOUND otherwise. */
export async function namedScope(context: GraphQLContext, scopeId: ScopeId): Promise<ScopeView> {
  const scope = await readableScope(context, scopeId)
  if (!scope) throw noSuch('scope', scopeId)
  return scope
}

/** How the scope is seen now that something is stored in it. */
export const storedUnder = ({ scopeId, storageKey }: ScopeView, key: ScopeKey): ScopeRef => ({
  scopeId,
  storageKey,
  key,
})

/** How the scope is seen that the harness has opened. */
export const viewOf = ({ scopeId, storageKey, scope, lifecycle }: OpenScope): ScopeView => ({
  kind: 'Scope',
  scopeId,
  storageKey,
  row: scope,
  lifecycle,
})
