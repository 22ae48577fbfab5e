import type { Role } from './role.ts'
import type { ScopePattern } from './scope-pattern.ts'

/** Who asks, once that is known: what he may do, and in which scopes. Other scopes do not exist for him. */
export interface Principal {
  /** Shown as the author of what he creates, and given to the scope resolver. */
  readonly id: string
  readonly role: Role
  readonly scopes: readonly ScopePattern[]
}
