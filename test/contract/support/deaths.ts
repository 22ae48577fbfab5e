import type { SessionKey } from '../../../src/kernel/ids.ts'
import { finishOf, lossOf, reservationOf, type Subtree } from '../../../src/domain/deletion/group.ts'
import type { Session } from '../../../src/domain/session/session.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { readGroup, readSubtree } from '../../../src/runtime/deletion/read-structure.ts'
import { NOW } from './world.ts'

export const deleting = { at: NOW + 9, by: 'ann' }

export async function subtreeOf(stores: Stores, { scopeKey, key }: Session): Promise<Subtree> {
  const subtree = await readSubtree(stores.structure, scopeKey, key)
  if (!subtree) throw new Error(`There is no session ${key}.`)
  return subtree
}

/** What reserves a subtree as it was when it was read. */
export const reserving = (scopeKey: Session['scopeKey'], subtree: Subtree): Partial<Commit> => ({
  rollUps: [lossOf(scopeKey, subtree)],
  structure: reservationOf(subtree, deleting),
})

/** What reserves the subtree of a session as it is now. */
export const death = async (stores: Stores, session: Session): Promise<Partial<Commit>> =>
  reserving(session.scopeKey, await subtreeOf(stores, session))

/** What finishes a group as it is now. */
export const end = async (stores: Stores, group: SessionKey): Promise<Partial<Commit>> =>
  finishOf(group, await readGroup(stores.structure, group), NOW + 10)
