/**
 * Finishes deletions that have been reserved: stops what goes on in the sessions, erases them, removes the tombstones.
 *
 * Owns the one operation per group that is under way here; whoever wants the same group finished shares it. What there is
 * to do follows from the tombstones alone, every step is safe to repeat, and the last one hits once: so any process can go
 * on wherever another one stopped, or while it is at it.
 *
 *     runs are told to stop, children first → groups below are finished → runs have ended here, and elsewhere → whom they
 *     asked is told → what
 *     they held is released → everything is erased → the tombstones go and the events come, in one commit
 *
 * Why nothing comes back: the rows of the sessions are gone with the reservation, and no content is written but under the
 * compare-and-set of one. Nobody waits for himself: a group waits only for groups below it.
 */
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import { finishOf, groupsBelow } from '../domain/deletion/group.ts'
import { settleOf } from '../domain/deletion/settle.ts'
import { childrenFirst } from '../domain/deletion/order.ts'
import type { Tombstone } from '../domain/deletion/tombstone.ts'
import type { Clock } from '../ports/clock.ts'
import { failureClassOf } from '../ports/stores/failure.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { TombstoneRef } from '../ports/stores/structure.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Committers } from './committers.ts'
import { erase } from './deletion/erase.ts'
import { readGroup, tombstonesAt } from './deletion/read-structure.ts'
import type { Orphans } from './orphans.ts'
import type { Sessions } from './sessions.ts'

export interface DeletionsDeps {
  readonly stores: Stores
  readonly committers: Committers
  readonly sessions: Sessions
  readonly orphans: Orphans
  readonly clock: Clock
  readonly log: Log
  /** This process. */
  readonly owner: string
  /** Milliseconds for which a process that is not alive any more may still have tools at work. */
  readonly graceMs: number
  /** Milliseconds between looks whether other processes have let go. */
  readonly lookMs: number
}

const PAGE = 100

export class Deletions {
  readonly #deps: DeletionsDeps
  readonly #running = new Map<SessionKey, Promise<readonly Tombstone[]>>()
  /** Looks for groups that are under way. */
  readonly #sweeps = new Set<Promise<unknown>>()
  readonly #stop = new AbortController()

  constructor(deps: DeletionsDeps) {
    this.#deps = deps
  }

  /**
   * Finishes a group and all below it. The sessions, children first, in the order in which they were reported; none when
   * there is no such group. Rejects with all that failed: then the tombstones stay, and the next call goes on.
   */
  finish(scopeKey: ScopeKey, group: SessionKey): Promise<readonly Tombstone[]> {
    const known = this.#running.get(group)
    if (known) return known
    const running = this.#finish(scopeKey, group).finally(() => this.#running.delete(group))
    this.#running.set(group, running)
    return running
  }

  /** Finishes every group there is, of one scope or of all. What failed; never rejects. */
  finishAll(scopeKey?: ScopeKey): Promise<readonly unknown[]> {
    return this.#swept(this.#finishAll(scopeKey, () => true))
  }

  /** Goes on with every group that nobody finishes here, as a process that died may have left it. Never rejects. */
  finishLeft(): Promise<readonly unknown[]> {
    return this.#swept(this.#finishAll(undefined, ({ key }) => !this.#running.has(key)))
  }

  #swept(sweep: Promise<readonly unknown[]>): Promise<readonly unknown[]> {
    const tracked = sweep.finally(() => this.#sweeps.delete(tracked))
    this.#sweeps.add(tracked)
    return tracked
  }

  async #finishAll(
    scopeKey: ScopeKey | undefined,
    isMeant: (group: TombstoneRef) => boolean,
  ): Promise<readonly unknown[]> {
    const { structure } = this.#deps.stores
    const failures: unknown[] = []
    try {
      for (let after: SessionKey | undefined; !this.#stop.signal.aborted; ) {
        const wishes = { ...(scopeKey !== undefined && { scopeKey }), ...(after !== undefined && { after }) }
        const page = await structure.groups({ ...wishes, limit: PAGE })
        const results = await Promise.allSettled(page.filter(isMeant).map((group) => this.finish(group.scopeKey, group.key)))
        failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])))
        after = page.at(-1)?.key
        if (page.length < PAGE) break
      }
    } catch (error) {
      failures.push(error)
    }
    for (const error of failures) this.#deps.log.error({ err: error }, 'a deletion could not be finished yet')
    return failures
  }

  /** Stops what is executed here of sessions that others delete, and says so when it has stopped. Rejects as the store does. */
  async letGo(): Promise<void> {
    const { stores, sessions, committers, owner } = this.#deps
    const held = await stores.structure.heldBy(owner, PAGE)
    // A run of which the admission is not known yet to be durable begins before its author is answered.
    await Promise.all([...new Set(held.map(({ scopeKey }) => scopeKey))].map((scopeKey) => committers.answered(scopeKey)))
    sessions.discard(held.map(({ key }) => key))
    const idle = held.filter(({ key }) => !sessions.isAttended(key))
    const free = await this.#besides(await this.#releaseGone(), idle.map(({ key }) => key))
    if (free.length > 0) await stores.structure.letGo(owner, free)
  }

  /**
   * Releases what is left here of sessions that are gone, also of children that had not begun. Those of which something still
   * is: nobody says of what is deleted with them that he has let go.
   */
  async #releaseGone(): Promise<readonly SessionKey[]> {
    const { stores, sessions, orphans } = this.#deps
    const owners = orphans.owners()
    if (owners.length === 0) return []
    const stored = await stores.sessions.findMany([...new Set(owners.map(({ sessionKey }) => sessionKey))])
    const live = new Set(stored.map(({ key }) => key))
    const gone = owners.filter(({ sessionKey }) => !live.has(sessionKey))
    const isFree = await Promise.all(
      gone.map(async ({ sessionKey }) => {
        if (sessions.isAttended(sessionKey)) return false
        return (await orphans.release({ sessionKey })).length === 0
      }),
    )
    return gone.filter((_, i) => !isFree[i]).map(({ sessionKey }) => sessionKey)
  }

  /** Those of the sessions that are not deleted together with one that is stuck. */
  async #besides(stuck: readonly SessionKey[], keys: readonly SessionKey[]): Promise<readonly SessionKey[]> {
    if (stuck.length === 0) return keys
    const tombstones = await this.#deps.stores.structure.tombstonesOf([...stuck, ...keys])
    const groups = new Map(tombstones.map(({ key, group }) => [key, group]))
    const held = new Set(stuck.map((key) => groups.get(key)))
    return keys.filter((key) => !held.has(groups.get(key)))
  }

  /** Resolves when no deletion is under way here. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#sweeps, ...this.#running.values()])
  }

  /** Leaves what is not finished to the next start. */
  stop(): void {
    this.#stop.abort(new Error('The server is stopping: the deletion goes on when it starts again.'))
  }

  async #finish(scopeKey: ScopeKey, group: SessionKey): Promise<readonly Tombstone[]> {
    const { stores, sessions, clock, log } = this.#deps
    const { signal } = this.#stop
    const [top, ...others] = await readGroup(stores.structure, group)
    if (!top) return []
    const members = childrenFirst([top, ...others])
    const keys = members.map(({ key }) => key)
    sessions.discard(keys)
    const { failures, finished } = await this.#finishBelow(scopeKey, top)
    await sessions.drainedIn(keys)
    await this.#othersLetGo(group)
    if (!top.settled) await this.#settle(scopeKey, top, members)
    failures.push(...(await this.#release(keys)))
    if (failures.length > 0) throw new AggregateError(failures, `The session ${top.sessionId} could not be erased yet.`)
    await erase(stores, keys, { clock, signal })
    await this.#commit(scopeKey, group, members)
    log.info({ scopeKey, sessionId: top.sessionId, sessions: members.length, by: top.deletedBy }, 'sessions were deleted')
    return [...finished, ...members]
  }

  async #finishBelow(
    scopeKey: ScopeKey,
    { group, path }: Tombstone,
  ): Promise<{ readonly failures: unknown[]; readonly finished: readonly Tombstone[] }> {
    const failures: unknown[] = []
    const finished: Tombstone[] = []
    for (const below of groupsBelow(group, await tombstonesAt(this.#deps.stores.structure, scopeKey, path))) {
      try {
        finished.push(...(await this.finish(scopeKey, below)))
      } catch (error) {
        failures.push(error)
      }
    }
    return { failures, finished }
  }

  async #release(keys: readonly SessionKey[]): Promise<readonly unknown[]> {
    const { orphans } = this.#deps
    if (orphans.size === 0) return []
    return (await Promise.all(keys.map((sessionKey) => orphans.release({ sessionKey })))).flat()
  }

  /** Where processes share the database: resolves when none but this one has anything to do with the group any more. */
  async #othersLetGo(group: SessionKey): Promise<void> {
    const { stores, clock, owner, graceMs, lookMs } = this.#deps
    const { instances } = stores
    while (instances && (await instances.isHeld({ group, except: owner, graceMs }))) {
      await clock.sleep(lookMs, this.#stop.signal)
    }
  }

  /** Tells who waits for a person's answer that there is nothing to answer any more, once. */
  async #settle(scopeKey: ScopeKey, { key }: Tombstone, members: readonly Tombstone[]): Promise<void> {
    const { stores, committers, clock } = this.#deps
    const pending = await stores.permissions.pending(members.map((member) => member.key))
    if (pending.length === 0) return
    const settle = settleOf({ group: key, members, pending, at: clock.now() })
    try {
      await committers.submit({ scopeKey, created: [], sessions: [], rollUps: [], ...settle })
    } catch (error) {
      if (failureClassOf(error) !== 'conflict') throw error // somebody else has said so
    }
  }

  async #commit(scopeKey: ScopeKey, group: SessionKey, members: readonly Tombstone[]): Promise<void> {
    const { stores, committers, clock } = this.#deps
    const finish = finishOf(group, members, clock.now())
    try {
      await committers.submit({ scopeKey, created: [], sessions: [], rollUps: [], rows: [], ...finish })
    } catch (error) {
      const isFinished = failureClassOf(error) === 'conflict' && (await readGroup(stores.structure, group)).length === 0
      if (!isFinished) throw error
    }
  }
}
