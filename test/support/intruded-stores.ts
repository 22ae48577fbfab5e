import type { Stores } from '../../src/ports/stores/stores.ts'

/** Stores between whose calls something else happens. */
export interface IntrudedStores {
  readonly stores: Stores
  /** Before the call number `at` from now on, from 1, `intrude` happens, whole. */
  readonly arm: (at: number, intrude: () => Promise<unknown>) => void
  /** Calls since then. */
  readonly calls: () => number
}

export function intrudedStores(stores: Stores): IntrudedStores {
  let count = 0
  let visit: { readonly at: number; readonly intrude: () => Promise<unknown> } | undefined
  const intruded = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]): Promise<unknown> => {
          count += 1
          if (count === visit?.at) await visit.intrude()
          return (await Reflect.apply(member, target, args)) as unknown
        }
      },
    })
  return {
    stores: { ...stores, structure: intruded(stores.structure), unit: intruded(stores.unit), log: intruded(stores.log) },
    arm(at, intrude) {
      count = 0
      visit = { at, intrude }
    },
    calls: () => count,
  }
}
