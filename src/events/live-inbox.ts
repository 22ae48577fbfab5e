/**
 * Follows the requests for permission of a scope: turns its list and its events into "these requests are new, or have
 * changed". Holds no content: who receives an update reads the requests. Owns one subscription per follower.
 *
 * - It subscribes before it lists, so nothing falls in between.
 * - A slow consumer costs a bounded set of ids: changes are one update until the set is full, then the subscription is
 *   no longer read, which goes on from the log at the consumer's own pace.
 * - The list is read a page for each call of `next()`, however long it is.
 */
import type { PermissionId } from '../kernel/ids.ts'
import type { EventType, HarnessEvent } from '../domain/event/event.ts'
import type { Permission } from '../domain/permission/permission.ts'
import { MAX_INBOX_SHOWN } from '../domain/limits.ts'
import type { CancelledRequest, InboxScope, InboxUpdate, LiveInboxes } from '../ports/live-inbox.ts'
import type { PermissionPosition, PermissionStore } from '../ports/stores/permissions.ts'
import type { EventUpdate, Subscriptions } from '../ports/subscriptions.ts'
import { Outlet } from './outlet.ts'

const watched: readonly EventType[] = ['permission.requested', 'permission.resolved']

export interface LiveInboxesOptions {
  readonly subscriptions: Pick<Subscriptions, 'events' | 'eventsToCome'>
  readonly stores: { readonly permissions: Pick<PermissionStore, 'inbox'> }
}

export const liveInboxes = ({ subscriptions, stores }: LiveInboxesOptions): LiveInboxes => ({
  async follow(scope) {
    const kinds = { types: watched, deltas: false }
    const source =
      'scopeKey' in scope
        ? await subscriptions.events({ ...scope, ...kinds })
        : await subscriptions.eventsToCome({ ...scope, ...kinds })
    return new Follower(scope, stores.permissions, source).updates
  },
})

class Follower {
  readonly updates: Outlet<InboxUpdate>
  readonly #scope: InboxScope
  readonly #permissions: Pick<PermissionStore, 'inbox'>
  readonly #source: AsyncIterableIterator<EventUpdate>
  /** What is to be told, in the order in which it changed. */
  readonly #changed = new Map<PermissionId, CancelledRequest | undefined>()
  #isOver = false
  #wake: (() => void) | undefined

  constructor(
    scope: InboxScope,
    permissions: Pick<PermissionStore, 'inbox'>,
    source: AsyncIterableIterator<EventUpdate>,
  ) {
    this.#scope = scope
    this.#permissions = permissions
    this.#source = source
    this.updates = new Outlet({ pulled: () => this.#pulled(), left: () => this.#leave() })
    void this.#follow()
  }

  async #follow(): Promise<void> {
    try {
      await this.#list()
      await this.#hear()
      this.#isOver = true
      this.#serve()
    } catch (error) {
      this.updates.fail(error)
    } finally {
      await this.#source.return?.()
    }
  }

  async #list(): Promise<void> {
    let after: PermissionPosition | undefined
    do {
      await this.#asked()
      if (this.#isOver) return
      const found = await this.#waiting(after)
      const page = found.slice(0, MAX_INBOX_SHOWN)
      this.updates.answer({ permissionIds: page.map(({ permissionId }) => permissionId), cancelled: new Map() })
      after = found.length > page.length ? page.at(-1) : undefined
    } while (after)
  }

  #waiting(after: PermissionPosition | undefined): Promise<readonly Permission[]> | readonly Permission[] {
    if (!('scopeKey' in this.#scope)) return []
    return this.#permissions.inbox(this.#scope.scopeKey, after, MAX_INBOX_SHOWN + 1)
  }

  /** Until the subscription ends, also because the consumer has left. */
  async #hear(): Promise<void> {
    for (;;) {
      if (this.#changed.size >= MAX_INBOX_SHOWN) await this.#asked()
      const next = await this.#source.next()
      if (next.done) return
      if (next.value.type === 'event') this.#note(next.value.event)
      this.#serve()
    }
  }

  #note({ scopeKey, body }: HarnessEvent): void {
    if (!('permission' in body)) return
    const { permissionId, state } = body.permission
    if (state.kind === 'resolved' && state.decision === 'GRANTED_BEFORE') return
    const isCancelled = state.kind === 'resolved' && state.decision === 'CANCELLED'
    this.#changed.set(permissionId, isCancelled ? { scopeKey, permission: { ...body.permission, metadata: null } } : undefined)
  }

  /** Resolves when somebody asks for an update, or has left. */
  #asked(): Promise<void> {
    if (this.updates.isAwaited || this.#isOver) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    return promise
  }

  #pulled(): void {
    this.#serve()
    this.#wake?.()
  }

  #serve(): void {
    if (this.updates.isAwaited && this.#changed.size > 0) {
      const permissionIds = [...this.#changed.keys()]
      const cancelled = new Map([...this.#changed].flatMap(([id, told]) => (told ? [[id, told] as const] : [])))
      this.#changed.clear()
      this.updates.answer({ permissionIds, cancelled })
    }
    if (this.#isOver && this.#changed.size === 0) this.updates.end()
  }

  #leave(): void {
    this.#isOver = true
    this.#wake?.()
    void this.#source.return?.()
  }
}
