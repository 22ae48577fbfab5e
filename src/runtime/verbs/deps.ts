import type { Limits } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Committers } from '../committers.ts'
import type { Deletions } from '../deletions.ts'
import type { Fences } from '../fences.ts'
import type { Retirements } from '../retirements.ts'
import type { ScopeLives } from '../scope-lives.ts'
import type { Scopes } from '../scopes.ts'
import type { Sessions } from '../sessions.ts'

/** What the verbs of the harness work with. */
export interface VerbDeps {
  readonly stores: Stores
  readonly scopes: Scopes
  readonly lives: ScopeLives
  readonly fences: Fences
  readonly retirements: Retirements
  readonly deletions: Deletions
  readonly sessions: Sessions
  readonly committers: Committers
  readonly clock: Clock
  readonly ids: Ids
  readonly limits: Limits
  /** This process. */
  readonly owner: string
}
