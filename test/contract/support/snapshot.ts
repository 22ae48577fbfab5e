import type { Session } from '../../../src/domain/session/session.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'

/** Everything that can be read of these sessions, which share a scope. `requests` names the requests to look for. */
export async function snapshotOf(stores: Stores, sessions: readonly Session[], requests: readonly string[] = []) {
  const scopeKey = sessions[0]!.scopeKey
  const keys = sessions.map(({ key }) => key)
  const messages = await stores.messages.pages(keys.map((sessionKey) => ({ sessionKey, take: 'first', limit: 200 })))
  return {
    scope: await stores.scopes.findMany([scopeKey]),
    sessions: await stores.sessions.page({ scopeKey, filter: {}, limit: 200 }),
    events: await stores.events.read({ scopeKey, filter: {}, after: 0, limit: 200 }),
    entries: [...(await stores.queue.views(keys, 200)).values()],
    runs: await stores.runs.pages(keys.map((sessionKey) => ({ sessionKey, limit: 200 }))),
    messages,
    parts: await stores.messages.parts(messages.flat()),
    permissions: await stores.permissions.latest(keys, 200),
    pending: await stores.permissions.pending(keys),
    grants: await stores.permissions.grants(keys),
    executions: await stores.executions.uncertain(keys, 200),
    log: await Promise.all(keys.map((key) => stores.log.read(key, 0, 200))),
    requests: await Promise.all(requests.map((id) => stores.requests.find(scopeKey, keys[0]!, id))),
  }
}
