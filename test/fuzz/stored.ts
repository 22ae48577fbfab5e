import type { Stores } from '../../src/ports/stores/stores.ts'

/** What mutations may change: every scope with its revision, the bounds of its log, its sessions and what they own. */
export async function stored(stores: Stores): Promise<unknown> {
  const scopes = await stores.scopes.page(undefined, 10_000)
  return Promise.all(
    scopes.map(async (scope) => {
      const sessions = await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 10_000 })
      const keys = sessions.map(({ key }) => key)
      return {
        scope,
        log: await stores.events.bounds(scope.key),
        sessions,
        queues: [...(await stores.queue.views(keys, 10_000))],
        permissions: await stores.permissions.latest(keys, 10_000),
        grants: await stores.permissions.grants(keys),
        uncertain: await stores.executions.uncertain(keys, 10_000),
      }
    }),
  )
}
