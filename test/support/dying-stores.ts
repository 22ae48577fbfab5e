import type { Stores } from '../../src/ports/stores/stores.ts'

const repositories = [
  'scopes',
  'sessions',
  'structure',
  'queue',
  'runs',
  'messages',
  'log',
  'permissions',
  'executions',
  'events',
  'requests',
  'unit',
] as const

/** What becomes of calls from the moment at which `arm` was called. */
export interface DyingStores {
  readonly stores: Stores
  /** From now on the call number `at`, from 1, is the last: it is done or not, and neither it nor any later one is answered. */
  readonly arm: (at: number, side: 'before' | 'after') => void
  /** Calls since then. */
  readonly calls: () => number
}

/** Stores of a process that dies at one of its calls, of whatever kind. */
export function dyingStores(stores: Stores): DyingStores {
  let count = 0
  let last: { readonly at: number; readonly side: 'before' | 'after' } = { at: Infinity, side: 'before' }
  const never = () => new Promise<never>(() => undefined)
  const dying = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]): Promise<unknown> => {
          count += 1
          if (count > last.at || (count === last.at && last.side === 'before')) return never()
          const result = (await Reflect.apply(member, target, args)) as unknown
          return count >= last.at ? never() : result
        }
      },
    })
  return {
    stores: { ...stores, ...Object.fromEntries(repositories.map((name) => [name, dying(stores[name])])) },
    arm(at, side) {
      count = 0
      last = { at, side }
    },
    calls: () => count,
  }
}
