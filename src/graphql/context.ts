import type { Principal } from '../domain/access/principal.ts'
import type { Caller, Harness } from '../runtime/harness.ts'
import { type Access, accessOf } from './access.ts'
import { Reads } from './reads.ts'

/** What resolvers have. One for each operation: a query, a mutation, or a whole subscription. */
export interface GraphQLContext {
  readonly harness: Harness
  readonly caller: Caller
  readonly access: Access
  readonly reads: Reads
}

/** A fresh context for one operation of `principal`. */
export function createContext(harness: Harness, principal: Principal): GraphQLContext {
  const access = accessOf(principal, harness)
  return { harness, caller: access.caller, access, reads: new Reads(harness.stores, access) }
}
