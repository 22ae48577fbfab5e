import type { Stores } from '../../src/ports/stores/stores.ts'

/** What mutations may change: every scope with its revision, the bounds of its log, its sessions and their queues. */
export async function stored(stores: Stores): Promise<unknown> {
  const scopes = await stores.scopes.page(undefined, 10_000)
  return Promise.all(
    scopes.map(async (scope) => {
      const sessions = await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 10_000 })
      const queues = await stores.queue.views(
        sessions.map(({ key }) => key),
        10_000,
      )
      return { scope, log: await stores.events.bounds(scope.key), sessions, queues: [...queues] }
    }),
  )
}
