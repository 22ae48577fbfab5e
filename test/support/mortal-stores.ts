import type { Stores } from '../../src/ports/stores/stores.ts'

/** Where a process dies: at its commit number `at`, before the store has it or after. */
export interface Death {
  readonly at: number
  readonly side: 'before' | 'after'
}

export interface MortalStores {
  readonly stores: Stores
  /** Resolves when the process has died. */
  readonly died: Promise<void>
  /** Commits that were begun. */
  readonly commits: () => number
  /** It dies now. */
  readonly kill: () => void
}

/** Stores of a process that dies at a commit: from then on no call of it is ever answered, and nothing of it is stored. */
export function mortalStores(stores: Stores, death?: Death): MortalStores {
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  let isDead = false
  let commits = 0
  const never = () => new Promise<never>(() => undefined)
  const mortal = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => (isDead ? never() : Reflect.apply(member, target, args))
      },
    })
  const unit: Stores['unit'] = {
    ...mortal(stores.unit),
    outcomeOf: (writeId) => (isDead ? never() : stores.unit.outcomeOf(writeId)),
    forget: (before, limit) => (isDead ? never() : stores.unit.forget(before, limit)),
    async commit(writeId, group) {
      if (isDead) return never()
      const dies = ++commits === death?.at
      if (dies && death.side === 'before') return last()
      const committed = await stores.unit.commit(writeId, group)
      return dies ? last() : committed
    },
  }
  const last = () => {
    isDead = true
    die()
    return never()
  }
  const content = ['queue', 'runs', 'messages', 'log', 'permissions', 'executions'] as const
  const names = ['scopes', 'sessions', 'structure', ...content, 'events', 'requests'] as const
  const repositories = Object.fromEntries(names.map((name) => [name, mortal(stores[name])]))
  const instances = stores.instances && mortal(stores.instances)
  return { stores: { ...stores, ...repositories, instances, unit }, died, commits: () => commits, kill: () => void last() }
}
