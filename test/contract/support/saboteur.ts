import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Commit, UnitOfWork } from '../../../src/ports/stores/unit-of-work.ts'

/** A store that breaks a law, in a way that a real one might. The cases of that law must notice. */
export interface Saboteur {
  readonly law: string
  readonly crime: string
  readonly sabotage: (stores: Stores) => Stores
}

type Committing = (commit: UnitOfWork['commit'], stores: Stores) => UnitOfWork['commit']

/** Puts something of its own around every commit. */
export const committing =
  (wrap: Committing) =>
  (stores: Stores): Stores => ({
    ...stores,
    unit: { ...stores.unit, commit: wrap((writeId, group) => stores.unit.commit(writeId, group), stores) },
  })

/** Changes every commit on its way in. */
export const rewriting = (rewrite: (commit: Commit, stores: Stores) => Commit | Promise<Commit>) =>
  committing(
    (commit, stores) => async (writeId, group) =>
      commit(writeId, await Promise.all(group.map(async (member) => rewrite(member, stores)))),
  )

/** Replaces verbs of one repository. */
export const reading =
  <K extends keyof Stores>(name: K, wrap: (store: Stores[K], stores: Stores) => Partial<Stores[K]>) =>
  (stores: Stores): Stores => ({ ...stores, [name]: Object.assign({}, stores[name], wrap(stores[name], stores)) })
