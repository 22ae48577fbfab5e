/**
 * This process among those that share a database.
 *
 * Owns its lease and the rounds that renew it, take over what others have left, and look for what others have changed of
 * the sessions whose runs are executed here. Where a single process owns the database there is none.
 *
 * Nothing that is right depends on it: a run that was taken over is fenced by its epoch, and whoever acts on a copy that is
 * out of date fails at the compare-and-set. It bounds how long a run stays without a process, and how long an abort or an
 * answer that came through another process takes to be heard.
 */
import type { SessionKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { InstanceStore } from '../ports/stores/instances.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Deletions } from './deletions.ts'
import type { Sessions } from './sessions.ts'

export interface LeasePolicy {
  /** Milliseconds for which the process counts as alive after each renewal; renewed three times as often. */
  readonly ttlMs: number
  /** Milliseconds between looks for what others have left. */
  readonly takeOverMs: number
  /** Milliseconds between looks for what others have changed. */
  readonly lookMs: number
}

export const defaultLeasePolicy: LeasePolicy = { ttlMs: 10_000, takeOverMs: 2_000, lookMs: 1_000 }

export interface LeasesDeps {
  readonly instances: InstanceStore
  readonly sessions: Sessions
  readonly deletions: Deletions
  readonly clock: Clock
  readonly log: Log
  readonly owner: string
  readonly policy: LeasePolicy
}

const PAGE = 100

export class Leases {
  readonly #deps: LeasesDeps
  readonly #stop = new AbortController()
  readonly #takeOvers = new AbortController()
  #rounds: readonly Promise<void>[] = []

  constructor(deps: LeasesDeps) {
    this.#deps = deps
  }

  /** Takes the lease and everything of which nobody takes care; from then on keeps doing so. Rejects as the store does. */
  async begin(): Promise<void> {
    const { ttlMs, takeOverMs, lookMs } = this.#deps.policy
    await this.#renew()
    const renewing = this.#every(ttlMs / 3, 'renew the lease of this process', () => this.#renew())
    this.#rounds = [renewing]
    await this.#takeOver(0)
    this.#rounds = [
      renewing,
      this.#every(takeOverMs, 'take over what other processes have left', () => this.#takeOver(ttlMs)),
      this.#every(lookMs, 'look for what other processes have changed', () => this.#look()),
      this.#every(lookMs, 'let go of what other processes delete', () => this.#deps.deletions.letGo()),
    ]
  }

  /** Takes nothing over any more. What has just been taken over goes on. */
  takeNoMore(): void {
    this.#takeOvers.abort()
  }

  /** Gives the lease up. What is left of this process can be taken over at once. Never rejects. */
  async end(): Promise<void> {
    const { instances, owner, log } = this.#deps
    this.takeNoMore()
    this.#stop.abort()
    await Promise.all(this.#rounds)
    await instances.leave(owner).catch((error: unknown) => log.warn({ err: error }, 'the lease could not be given up'))
  }

  #renew(): Promise<void> {
    const { instances, owner, policy } = this.#deps
    return instances.renew(owner, policy.ttlMs)
  }

  async #takeOver(idleMs: number): Promise<void> {
    const { instances, sessions, log } = this.#deps
    for (let after: SessionKey | undefined; !this.#takeOvers.signal.aborted; ) {
      const page = await instances.abandoned({ idleMs, limit: PAGE, ...(after !== undefined && { after }) })
      for (const { key, revision, hasRun } of page) {
        if (this.#takeOvers.signal.aborted) return
        if (hasRun ? sessions.isExecuted(key) : sessions.isAttended(key)) continue
        await sessions
          .recover(key, revision)
          .catch((error: unknown) => log.error({ err: error, session: key }, 'a session could not be taken over'))
      }
      after = page.at(-1)?.key
      if (page.length < PAGE) return
    }
  }

  async #look(): Promise<void> {
    const { instances, sessions, log } = this.#deps
    const executed = sessions.executed()
    if (executed.size === 0) return
    const stored = new Map((await instances.versions([...executed.keys()])).map(({ key, revision }) => [key, revision]))
    for (const [key, revision] of executed) {
      if (stored.get(key) === revision && stored.has(key)) continue
      if (sessions.executed().get(key) !== revision) continue
      await sessions
        .refresh(key)
        .catch((error: unknown) => log.error({ err: error, session: key }, 'a session could not be looked at'))
    }
  }

  async #every(ms: number, what: string, job: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#deps
    const { signal } = this.#stop
    while (!signal.aborted) {
      await clock.sleep(ms, signal).catch(() => undefined)
      if (signal.aborted) return
      await job().catch((error: unknown) => log.warn({ err: error }, `could not ${what}: trying again`))
    }
  }
}
