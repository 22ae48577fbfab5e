import type { Stores } from '../../src/ports/stores/stores.ts'

export interface CountingStores {
  readonly stores: Stores
  /** What was read since the last `reset`, with how often: `sessions.children`. */
  readonly reads: ReadonlyMap<string, number>
  reset(): void
}

const REPOSITORIES = [
  'scopes',
  'sessions',
  'structure',
  'queue',
  'runs',
  'messages',
  'permissions',
  'executions',
  'events',
] as const

/** Stores that count how often each of their methods is called. */
export function countingStores(stores: Stores): CountingStores {
  const reads = new Map<string, number>()
  const counting = <T extends object>(name: string, repository: T): T =>
    new Proxy(repository, {
      get(target, key, receiver) {
        const method: unknown = Reflect.get(target, key, receiver)
        if (typeof method !== 'function') return method
        return (...args: readonly unknown[]): unknown => {
          const path = `${name}.${String(key)}`
          reads.set(path, (reads.get(path) ?? 0) + 1)
          return Reflect.apply(method, target, args)
        }
      },
    })
  const counted = Object.fromEntries(REPOSITORIES.map((name) => [name, counting(name, stores[name])]))
  return { stores: { ...stores, ...counted }, reads, reset: () => reads.clear() }
}
