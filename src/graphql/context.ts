import type { Caller, Harness } from '../runtime/harness.ts'
import { type Access, localAccess } from './access.ts'
import { Reads } from './reads.ts'

/** What resolvers have. One for each operation: a query, a mutation, or a whole subscription. */
export interface GraphQLContext {
  readonly harness: Harness
  readonly caller: Caller
  readonly access: Access
  readonly reads: Reads
}

/** A fresh context for one operation of `caller`. */
export function createContext(
  harness: Harness,
  caller: Caller,
  access: Access = localAccess(harness, caller),
): GraphQLContext {
  return { harness, caller, access, reads: new Reads(harness.stores, access) }
}
