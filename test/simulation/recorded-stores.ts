import type { Mailbox } from '../../src/runtime/mailbox.ts'
import type { InstanceStore } from '../../src/ports/stores/instances.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Author } from './author.ts'
import type { Checker } from './checker.ts'

export interface Recording {
  readonly checker: Checker
  /** One for all processes: while the checker looks at a commit, no other one comes in. */
  readonly line: Mailbox
  readonly author: Author
  /** Told of every commit that the store took. */
  readonly onCommitted: (writeId: string) => void
}

/** The stores, with the checker looking at everything that is changed through them. */
export function recordedStores(stores: Stores, { checker, line, author, onCommitted }: Recording): Stores {
  return {
    ...stores,
    instances: stores.instances && recordedInstances(stores.instances, checker, author),
    unit: {
      commit: (writeId, group) =>
        line.run(async () => {
          const trial = { author, writeId, group }
          const committed = await stores.unit.commit(writeId, group).catch(async (error: unknown) => {
            await checker.failed(trial, error).catch(() => undefined)
            throw error
          })
          onCommitted(writeId)
          await checker.committed(trial, committed).catch(() => undefined)
          return committed
        }),
      outcomeOf: (writeId) =>
        line.run(async () => {
          const outcome = await stores.unit.outcomeOf(writeId)
          await checker.resolved(writeId, outcome).catch(() => undefined)
          return outcome
        }),
      forget: (before, limit) => stores.unit.forget(before, limit),
    },
  }
}

function recordedInstances(instances: InstanceStore, { leases }: Checker, { owner }: Author): InstanceStore {
  return {
    renew: (who, ttlMs) => {
      leases.renewed(who, ttlMs)
      return instances.renew(who, ttlMs)
    },
    leave: (who) => {
      leases.left(who)
      return instances.leave(who)
    },
    abandoned: (query) => {
      leases.looked(owner)
      return instances.abandoned(query)
    },
    isHeld: (query) => instances.isHeld(query),
    versions: (keys) => instances.versions(keys),
  }
}
