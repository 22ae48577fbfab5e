import type { InstanceStore } from '../../../src/ports/stores/instances.ts'
import { reading, type Saboteur } from './saboteur.ts'

const sharing = (wrap: (instances: InstanceStore) => Partial<InstanceStore>) =>
  reading('instances', (instances) => (instances ? wrap(instances) : null))

/** Break the laws of processes that share a database. */
export const instanceSaboteurs: readonly Saboteur[] = [
  {
    law: 'C94',
    crime: 'takes everybody for dead',
    sabotage: sharing(() => ({ renew: async () => undefined })),
  },
  {
    law: 'C94',
    crime: 'forgets that a process has left',
    sabotage: sharing(() => ({ leave: async () => undefined })),
  },
  {
    law: 'C94',
    crime: 'does not say at which revision it was',
    sabotage: sharing((instances) => ({
      abandoned: async (query) => (await instances.abandoned(query)).map((found) => ({ ...found, revision: 0 })),
    })),
  },
  {
    law: 'C95',
    crime: 'takes what has just been queued for abandoned',
    sabotage: sharing((instances) => ({ abandoned: (query) => instances.abandoned({ ...query, idleMs: 0 }) })),
  },
  {
    law: 'C95',
    crime: 'begins again at the beginning',
    sabotage: sharing((instances) => ({ abandoned: ({ idleMs, limit }) => instances.abandoned({ idleMs, limit }) })),
  },
  {
    law: 'C96',
    crime: 'knows the revision of the first alone',
    sabotage: sharing((instances) => ({ versions: async (keys) => (await instances.versions(keys)).slice(0, 1) })),
  },
]
