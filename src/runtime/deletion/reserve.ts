import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { lossOf, reservationOf, type Subtree } from '../../domain/deletion/group.ts'
import type { LifecycleRefusal } from '../../domain/scope/lifecycle.ts'
import type { Clock } from '../../ports/clock.ts'
import { failureClassOf } from '../../ports/stores/failure.ts'
import type { StructureStore } from '../../ports/stores/structure.ts'
import type { Committers } from '../committers.ts'
import type { ScopeLife } from '../scope-life.ts'
import { readSubtree } from './read-structure.ts'

export interface ReserveDeps {
  readonly stores: { readonly structure: StructureStore }
  readonly committers: Committers
  readonly clock: Clock
}

export interface Reserving<R extends Refusal> {
  readonly scopeKey: ScopeKey
  readonly life: ScopeLife
  /** The session at the top of what is to be deleted. */
  readonly key: SessionKey
  readonly by: string
  /** Why this very subtree must not be deleted. Nothing can change between the answer and the reservation. */
  readonly unless: (subtree: Subtree) => R | undefined
}

export type Reserved<R extends Refusal> =
  | { readonly kind: 'reserved' }
  /** The session does not live any more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly refusal: R | LifecycleRefusal }
  /** Others changed the tree, again and again. Nothing changed. */
  | { readonly kind: 'contended' }

/** Each conflict is somebody else's success. */
const MAX_TRIES = 64

/** Turns a live subtree into one group of tombstones. Rejects as the store does: then it may have been reserved or not. */
export async function reserve<R extends Refusal>(deps: ReserveDeps, reserving: Reserving<R>): Promise<Reserved<R>> {
  const { stores, committers, clock } = deps
  const { scopeKey, life, key, by, unless } = reserving
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const subtree = await readSubtree(stores.structure, scopeKey, key)
    if (!subtree) return { kind: 'gone' }
    const refusal = unless(subtree) ?? life.refusal
    if (refusal) return { kind: 'refused', refusal }
    try {
      await committers.submit({
        scopeKey,
        created: [],
        sessions: [],
        rollUps: [lossOf(scopeKey, subtree)],
        rows: [],
        structure: reservationOf(subtree, { at: clock.now(), by }),
        events: [],
      })
      return { kind: 'reserved' }
    } catch (error) {
      if (failureClassOf(error) !== 'conflict') throw error
    }
  }
  return { kind: 'contended' }
}
