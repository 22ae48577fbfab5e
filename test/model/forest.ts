import { asSessionId, asStorageKey, type ScopeKey, type SessionKey } from '../../src/kernel/ids.ts'
import type { CohortEntry } from '../../src/domain/deletion/cohort.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { bear } from '../support/births.ts'
import { heldStores } from '../support/held-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { holds, same } from '../simulation/law-broken.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

/** Few ids, so that what is done meets what was done. */
export const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const

/** `on` chooses among the sessions that live when it is done. */
export type Deed =
  | { readonly type: 'create'; readonly id: string }
  | { readonly type: 'abort' | 'delete' | 'deleteCohort'; readonly on: number }
  | { readonly type: 'bear'; readonly id: string; readonly on: number }
  | { readonly type: 'prompt'; readonly on: number; readonly what: 'answer' | 'ask' | 'stream' }
  | { readonly type: 'respond' }
  /** From now on, or no longer, tools cannot be given back. */
  | { readonly type: 'stick' }

interface Planting {
  readonly seed: number
  readonly storageKey: string
}

/** Trees of sessions in which many things happen at the same time, and what must be true when they have. */
export class Forest {
  readonly #world: World
  readonly #storageKey: string
  /** Every session that was ever seen. */
  readonly #seen = new Map<SessionKey, StoredSession>()
  #isStuck = false

  private constructor(world: World, storageKey: string) {
    this.#world = world
    this.#storageKey = storageKey
  }

  static async planted(stores: Stores, { seed, storageKey }: Planting): Promise<Forest> {
    const clock = virtualClock()
    const resolver = { resolve: async () => ({ storageKey: asStorageKey(storageKey), context: undefined }) }
    const slow = heldStores(dawdling({ ...stores, instances: null }, seed), clock)
    const world = await World.started({ clock, resolver, stores: slow, limits: { maxConcurrentRuns: 3 } })
    world.tools.add('write', { execute: async () => ({ done: true }) })
    const begun = new Set<string>()
    world.models.onCall = (call) => {
      const isFirst = !begun.has(call.request.runId)
      begun.add(call.request.runId)
      const what = wanted(JSON.stringify(call.call))
      if (isFirst && what === 'ask') call.calls('write', {}).finish('continue')
      else if (what === 'stream') call.start().delta('half')
      else call.answer('Done')
    }
    const forest = new Forest(world, storageKey)
    world.tools.onRelease = async () => {
      if (forest.#isStuck) throw new Error('The tools are stuck.')
    }
    for (const id of ['a', 'b']) ok(await world.harness.createSession({ scopeId, sessionId: asSessionId(id) }, caller))
    return forest
  }

  /** Begins all of it at once, and lets it come to an end. */
  async atOnce(deeds: readonly Deed[]): Promise<void> {
    const done = Promise.allSettled(deeds.map((deed) => this.#do(deed)))
    await this.#world.clock.advance(50)
    await done
    await this.#world.clock.advance(2_000)
    await this.#world.clock.settle()
  }

  /** Every session is there with all it is, or gone with all it was. */
  async expectClean(): Promise<void> {
    const { stores } = this.#world
    const scopeKey = await this.#scope()
    if (scopeKey === undefined) return
    const alive = await this.#alive(scopeKey)
    for (const session of alive) this.#seen.set(session.key, session)
    const keys = new Set(alive.map(({ key }) => key))
    for (const { sessionId, place, tree } of alive) {
      holds(place.parentKey === null || keys.has(place.parentKey), `D30: the parent of ${sessionId} lives`)
      const below = alive.filter((other) => other.place.path !== place.path && other.place.path.startsWith(place.path))
      same(tree.descendants, below.length, `S64: the descendants of ${sessionId} are counted`)
    }
    for (const { sessionKey } of await stores.permissions.inbox(scopeKey, undefined, 200)) {
      holds(keys.has(sessionKey), 'C68: who waits for an answer lives')
    }
    const tombstones = await stores.structure.tombstones({ scopeKey, limit: 100 })
    for (const { sessionId } of tombstones) {
      holds(!alive.some((one) => one.sessionId === sessionId), `S60: ${sessionId} is dead or alive`)
    }
    if (!this.#isStuck && tombstones.length > 0) await this.#finishAll(tombstones.map(({ sessionId }) => sessionId))
    if (!this.#isStuck) await this.#expectErased(scopeKey, keys)
  }

  /** What is left can be deleted, and then everything is free again. */
  async expectFelled(): Promise<void> {
    const { harness, tools, clock, models } = this.#world
    this.#isStuck = false
    await this.#finishAll(ids)
    await this.expectClean()
    holds(tools.releases >= tools.requests.length, 'D2: all tools are given back')
    const sessionId = asSessionId('after all')
    ok(await harness.createSession({ scopeId, sessionId }, caller))
    const calls = models.calls.length
    await this.#world.prompt('answer', { sessionId })
    await clock.settle()
    same(models.calls.length, calls + 1, 'R1: all slots are free')
  }

  async #do(deed: Deed): Promise<unknown> {
    const { harness, stores } = this.#world
    if (deed.type === 'create') return harness.createSession({ scopeId, sessionId: asSessionId(deed.id) }, caller)
    if (deed.type === 'respond') return this.#respond()
    if (deed.type === 'stick') return void (this.#isStuck = !this.#isStuck)
    const session = await this.#pick(deed.on)
    if (!session) return
    const { sessionId } = session
    switch (deed.type) {
      case 'bear':
        return bear(stores, session, { sessionId: deed.id, agent: null })
      case 'prompt':
        return harness.enqueuePrompt({ scopeId, sessionId, text: deed.what }, caller)
      case 'abort':
        return harness.abortRun({ scopeId, sessionId }, caller)
      case 'delete':
        return this.#delete(sessionId)
      case 'deleteCohort':
        return this.#deleteCohort(session)
    }
  }

  async #respond(): Promise<void> {
    const { harness, stores } = this.#world
    const scopeKey = await this.#scope()
    const [waiting] = scopeKey === undefined ? [] : await stores.permissions.inbox(scopeKey, undefined, 1)
    if (!waiting) return
    const { permissionId } = waiting
    await harness.respondToPermission({ scopeId, permissionId, decision: 'ALWAYS' }, caller)
  }

  async #delete(id: string): Promise<void> {
    await this.#world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)
  }

  /** Deletes what was seen; only what was seen may be gone by that. */
  async #deleteCohort(session: StoredSession): Promise<void> {
    const { structure } = this.#world.stores
    const query = { scopeKey: session.scopeKey, path: session.place.path, limit: 100 }
    const seen = [...(await structure.members(query)), ...(await structure.tombstones(query))]
    const entries = new Map(seen.map(({ key, sessionId, generation }) => [key, { sessionId, ...generation }]))
    const root = entryOf(session)
    const authorizedCohort = [...new Map([...entries.values(), root].map((entry) => [entry.sessionId, entry])).values()]
    const answer = await this.#world.harness.deleteSessionGenerationCohort({ scopeId, root, authorizedCohort }, caller)
    if (!answer.ok || !answer.value) return
    const left = await structure.members(query)
    same(left, [], 'D20: nothing of a cohort that matched is left')
  }

  async #finishAll(sessionIds: readonly string[]): Promise<void> {
    const deletions = Promise.allSettled(sessionIds.map((id) => this.#delete(id)))
    await this.#world.clock.advance(50)
    const failures = (await deletions).filter(({ status }) => status === 'rejected')
    same(failures, [], 'D7: what nothing holds up is finished')
    const scopeKey = await this.#scope()
    const left = scopeKey === undefined ? [] : await this.#world.stores.structure.tombstones({ scopeKey, limit: 9 })
    same(left, [], 'D7: nothing is left to finish')
  }

  async #expectErased(scopeKey: ScopeKey, alive: ReadonlySet<SessionKey>): Promise<void> {
    const { queue, runs, messages, log, permissions, executions, requests, sessions, events } = this.#world.stores
    const gone = [...this.#seen.keys()].filter((key) => !alive.has(key))
    for (const store of [queue, runs, messages, log, permissions, executions, requests, sessions, events]) {
      same(await store.purge(gone, 100), 0, 'D13: nothing of the dead is left')
    }
    const told = (await this.#world.stores.events.read({ scopeKey, filter: { types: ['session.deleted'] }, after: 0, limit: 999 })).events
    const keys = told.map(({ sessionKey }) => sessionKey)
    same(new Set(keys).size, keys.length, 'D5: a deletion is told once')
    for (const key of gone) holds(keys.includes(key), 'D1: a deletion is told')
    for (const key of alive) holds(!keys.includes(key), 'D1: the living are not told to be dead')
  }

  async #scope(): Promise<ScopeKey | undefined> {
    return (await this.#world.stores.scopes.find(asStorageKey(this.#storageKey)))?.key
  }

  async #pick(on: number): Promise<StoredSession | undefined> {
    const scopeKey = await this.#scope()
    const alive = scopeKey === undefined ? [] : await this.#alive(scopeKey)
    return alive[on % alive.length]
  }

  #alive(scopeKey: ScopeKey): Promise<readonly StoredSession[]> {
    return this.#world.stores.sessions.page({ scopeKey, filter: {}, limit: 100 })
  }
}

/** What the last prompt wants of the model. */
const wanted = (said: string): string | undefined => said.match(/"(answer|ask|stream)"/g)?.at(-1)?.replaceAll('"', '')

const entryOf = ({ sessionId, generation }: StoredSession): CohortEntry => ({ sessionId, ...generation })

/** Stores whose calls take some turns more or less, as the seed says, so that they overtake each other. */
function dawdling(stores: Stores, seed: number): Stores {
  let state = seed >>> 0
  const turns = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 16) % 4
  }
  const slow = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]): Promise<unknown> => {
          for (let i = turns(); i > 0; i--) await new Promise(setImmediate)
          const result = (await Reflect.apply(member, target, args)) as unknown
          for (let i = turns(); i > 0; i--) await new Promise(setImmediate)
          return result
        }
      },
    })
  return {
    ...stores,
    sessions: slow(stores.sessions),
    structure: slow(stores.structure),
    queue: slow(stores.queue),
    runs: slow(stores.runs),
    permissions: slow(stores.permissions),
    unit: slow(stores.unit),
  }
}
