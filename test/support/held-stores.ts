import type { Stores } from '../../src/ports/stores/stores.ts'
import type { VirtualClock } from './virtual-clock.ts'

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

/** Stores whose calls take none of the clock's time, however long they take: a database under a virtual clock. */
export function heldStores(stores: Stores, clock: VirtualClock): Stores {
  const held = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => clock.hold(Promise.resolve(Reflect.apply(member, target, args) as unknown))
      },
    })
  const instances = stores.instances && held(stores.instances)
  return { ...stores, ...Object.fromEntries(repositories.map((name) => [name, held(stores[name])])), instances }
}
