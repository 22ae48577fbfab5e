import type { Access } from './access.ts'
import type { Stores } from './facade-types.ts'
import { executionLoaders } from './modules/execution/loaders.ts'
import { messageLoaders } from './modules/message/loaders.ts'
import { permissionLoaders } from './modules/permission/loaders.ts'
import { queueLoaders } from './modules/queue/loaders.ts'
import { runLoaders } from './modules/run/loaders.ts'
import { scopeLoaders } from './modules/scope/loaders.ts'
import { tombstoneLoaders } from './modules/session/tombstone-loaders.ts'
import { sessionLoaders } from './modules/session/loaders.ts'

const createLoaders = (stores: Stores, access: Access) => ({
  scopes: scopeLoaders(access),
  sessions: sessionLoaders(stores.sessions),
  tombstones: tombstoneLoaders(stores.structure),
  runs: runLoaders(stores.runs),
  messages: messageLoaders(stores.messages),
  queue: queueLoaders(stores.queue),
  permissions: permissionLoaders(stores.permissions),
  executions: executionLoaders(stores.executions),
})

/**
 * Everything that one operation reads. It remembers what it read, and what the caller may see, so that nothing is asked
 * for twice; `renew` forgets all of that. Mutations renew before they read, subscriptions before every event.
 */
export class Reads {
  readonly #create: () => ReturnType<typeof createLoaders>
  #loaders: ReturnType<typeof createLoaders>

  constructor(stores: Stores, access: Access) {
    this.#create = () => createLoaders(stores, access)
    this.#loaders = this.#create()
  }

  get scopes() {
    return this.#loaders.scopes
  }

  get sessions() {
    return this.#loaders.sessions
  }

  get tombstones() {
    return this.#loaders.tombstones
  }

  get runs() {
    return this.#loaders.runs
  }

  get messages() {
    return this.#loaders.messages
  }

  get queue() {
    return this.#loaders.queue
  }

  get permissions() {
    return this.#loaders.permissions
  }

  get executions() {
    return this.#loaders.executions
  }

  renew(): void {
    this.#loaders = this.#create()
  }
}
