import type { ScopeId } from '../kernel/ids.ts'
import type { Principal } from '../domain/access/principal.ts'
import { suffices } from '../domain/access/role.ts'
import { isFor, type NamedScopes, scopesNamedBy } from '../domain/access/scope-pattern.ts'
import type { Caller, Harness, OpenScope } from '../runtime/harness.ts'
import { leastRoleFor, type OperationName } from './role-table.ts'

/**
 * What a principal may see and do. Everything that the API shows of a scope is reached by opening it here, and every
 * operation asks `may` before it begins: see `DoorPlugin`. A scope that is not seen looks as if it did not exist. Asked
 * anew for every request and for every event of a subscription.
 */
export interface Access {
  /** On whose behalf the harness acts. */
  readonly caller: Caller
  /** The scopes that may be seen; undefined for all of them. */
  readonly scopes: NamedScopes | undefined
  /** Whether the scope exists for the principal. */
  sees(scopeId: ScopeId): boolean
  /** Whether the principal may do this in a scope that it sees, or at all where the operation is about no scope. */
  may(operation: OperationName, scopeId: ScopeId | undefined): boolean
  /** What each id stands for; undefined when the scope is not seen, or refused by the resolver. */
  openScopes(scopeIds: readonly ScopeId[]): Promise<readonly (OpenScope | undefined)[]>
}

/** The role of the principal, in the scopes of its patterns. Reads the principal anew each time: it may change. */
export function accessOf(principal: Principal, harness: Pick<Harness, 'openScopes'>): Access {
  const caller = { principal: principal.id }
  const sees = (scopeId: ScopeId): boolean => principal.scopes.some((pattern) => isFor(pattern, scopeId))
  return {
    caller,
    get scopes() {
      return principal.scopes.includes('*') ? undefined : scopesNamedBy(principal.scopes)
    },
    sees,
    may: (operation, scopeId) =>
      suffices(principal.role, leastRoleFor(operation)) && (scopeId === undefined || sees(scopeId)),
    async openScopes(scopeIds) {
      const seen = [...new Set(scopeIds.filter(sees))]
      const open = seen.length === 0 ? [] : await harness.openScopes(seen, caller)
      const byId = new Map(seen.map((scopeId, i) => [scopeId, open[i]]))
      return scopeIds.map((scopeId) => byId.get(scopeId))
    },
  }
}
