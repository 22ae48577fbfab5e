import type { ScopeKey } from '../kernel/ids.ts'
import type { EventTransport } from '../ports/event-transport.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Commit } from '../ports/stores/unit-of-work.ts'
import { type CommitOutcome, Committer, type CommitterDeps } from './committer.ts'
import { publishedEvents } from './published.ts'

export interface CommittersDeps extends Omit<CommitterDeps, 'unit' | 'onCommitted'> {
  readonly stores: Stores
  readonly transport: EventTransport
}

/**
 * The committers of a process: one per scope, or a single one where the database serialises writers.
 *
 * Wakes the tails of event logs after every commit. A wake-up that is lost costs latency, never an event.
 */
export class Committers {
  readonly #deps: CommittersDeps
  readonly #committers = new Map<ScopeKey | 'all', Committer>()

  constructor(deps: CommittersDeps) {
    this.#deps = deps
  }

  /** True while the fate of every commit is known. */
  get isHealthy(): boolean {
    return [...this.#committers.values()].every(({ isHealthy }) => isHealthy)
  }

  submit(commit: Commit): Promise<CommitOutcome> {
    const key = this.#keyOf(commit.scopeKey)
    const committer = this.#committers.get(key) ?? this.#create()
    this.#committers.set(key, committer)
    return committer.submit(commit)
  }

  /** Resolves when the authors of all commits of the scope that were submitted until now have been answered. */
  async answered(scopeKey: ScopeKey): Promise<void> {
    await this.#of(scopeKey)?.answered(scopeKey)
  }

  /** Whether a commit that was lost holds the scope. */
  holds(scopeKey: ScopeKey): boolean {
    return this.#of(scopeKey)?.holds(scopeKey) ?? false
  }

  /** Asks once for the fate of what was lost of the scope. Rejects while it is unknown. */
  async resolve(scopeKey: ScopeKey): Promise<void> {
    await this.#of(scopeKey)?.resolve(scopeKey)
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#committers.values()].map((committer) => committer.drain()))
  }

  #keyOf(scopeKey: ScopeKey): ScopeKey | 'all' {
    return this.#deps.stores.serialises === 'database' ? 'all' : scopeKey
  }

  #of(scopeKey: ScopeKey): Committer | undefined {
    return this.#committers.get(this.#keyOf(scopeKey))
  }

  #create(): Committer {
    const { stores } = this.#deps
    return new Committer({ ...this.#deps, unit: stores.unit, onCommitted: (...durable) => this.#wake(...durable) })
  }

  #wake(commit: Commit, outcome: CommitOutcome): void {
    if (commit.events.length === 0) return
    if (outcome === 'unnumbered') return void this.#wakeFromLog(commit.scopeKey)
    const head = outcome.firstSequence + commit.events.length - 1
    const events = publishedEvents(commit, outcome) ?? []
    this.#deps.transport.publish({ type: 'grown', scopeKey: commit.scopeKey, head, events })
  }

  async #wakeFromLog(scopeKey: ScopeKey): Promise<void> {
    try {
      const { head } = await this.#deps.stores.events.bounds(scopeKey)
      this.#deps.transport.publish({ type: 'grown', scopeKey, head, events: [] })
    } catch (error) {
      this.#deps.log.warn({ err: error, scopeKey }, 'could not wake the tails of a scope')
    }
  }
}
