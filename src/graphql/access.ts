import type { ScopeId } from '../kernel/ids.ts'
import type { Caller, Harness, OpenScope } from '../runtime/harness.ts'

/** `read` is seeing and subscribing, `operate` changing conversations, `admin` what is left. */
export type Action = 'read' | 'operate' | 'admin'

/**
 * The one door of the API to scopes: queries, mutations, subscriptions and global ids all ask here. What it refuses
 * looks as if it did not exist. Asked anew for every request and for every event of a subscription.
 */
export interface Access {
  may(action: Action, scopeId: ScopeId): boolean
  /** What the id stands for; undefined when the scope is refused. */
  openScope(scopeId: ScopeId): Promise<OpenScope | undefined>
}

/** Everything is allowed that the harness' own resolver allows. */
export const localAccess = (harness: Pick<Harness, 'openScope'>, caller: Caller): Access => ({
  may: () => true,
  openScope: (scopeId) => harness.openScope(scopeId, caller),
})
