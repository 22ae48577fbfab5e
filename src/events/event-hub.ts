/**
 * The hub behind `Subscriptions`: hands every subscriber what he listens for. Owns one tail per scope in which
 * somebody listens or a part streams, the texts of the streaming parts, and one listener on the transport.
 *
 * - A publisher is never blocked: a signal is taken in at once, and nobody's consumer runs meanwhile.
 * - Signals only speed things up: one statement per `pollMs` asks how far the logs of all tails reach.
 * - A scope that does not exist has no tail. Who listens to it waits for its beginning, of which the first signal from
 *   a scope tells, or else the poll.
 * - Nothing leaks. A tail goes with its last subscriber and its last streaming part. A part is closed by its
 *   `part.completed` or its `run.finished`, which the tail of its scope finds in the log whatever signals were lost,
 *   and by age if these events were erased. What a closed part leaves behind is a key among a bounded number of them.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import type { HarnessEvent } from '../domain/event/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Delta, EventTransport, Signal } from '../ports/event-transport.ts'
import type { ScopeStore } from '../ports/stores/scopes.ts'
import type { EventsSubscription, EventUpdate, Subscriptions, SubscriptionToCome } from '../ports/subscriptions.ts'
import type { Log } from '../ports/telemetry.ts'
import { AwaitedScopes } from './awaited-scopes.ts'
import { EventsToCome } from './events-to-come.ts'
import { HeadPoll } from './head-poll.ts'
import { type LiveAddress, LiveParts } from './live-parts.ts'
import { Outlet } from './outlet.ts'
import { type EventLog, expired } from './read-page.ts'
import { ScopeTail } from './scope-tail.ts'

export interface EventHubTiming {
  /** Between two looks at how far the logs reach: by how much an event is late whose signal was lost. */
  readonly pollMs: number
  /** After how long without a new cursor a subscriber is told how far the log has got. */
  readonly quietMs: number
  /** After how long without a delta a part is taken to stream no more. */
  readonly partIdleMs: number
}

/** Events that a tail still remembers when it has just read them. */
const SHORT_LOG = 64

const defaultTiming: EventHubTiming = { pollMs: 1_000, quietMs: 30_000, partIdleMs: 3_600_000 }

export interface EventHubOptions {
  readonly stores: { readonly events: EventLog; readonly scopes: Pick<ScopeStore, 'findMany' | 'findNamed'> }
  readonly transport: EventTransport
  readonly clock: Clock
  readonly log: Log
  readonly timing?: Partial<EventHubTiming>
}

export const eventHub = (options: EventHubOptions): Subscriptions => new EventHub(options)

class EventHub implements Subscriptions {
  readonly #options: EventHubOptions
  readonly #timing: EventHubTiming
  readonly #tails = new Map<ScopeKey, ScopeTail>()
  readonly #parts = new LiveParts()
  readonly #closed = new AbortController()
  readonly #stopListening: () => void
  readonly #poll: HeadPoll
  readonly #awaited: AwaitedScopes
  readonly #toCome = new Set<EventsToCome>()

  constructor(options: EventHubOptions) {
    const { stores, transport, clock, log, timing } = options
    this.#options = options
    this.#timing = { ...defaultTiming, ...timing }
    this.#poll = new HeadPoll({
      scopes: stores.scopes,
      clock,
      log,
      everyMs: this.#timing.pollMs,
      due: () => this.#due(),
      onHead: (scopeKey, head) => this.#tails.get(scopeKey)?.noticed(head),
    })
    this.#awaited = new AwaitedScopes({ scopes: stores.scopes, clock, log, everyMs: this.#timing.pollMs })
    this.#stopListening = transport.listen((signal) => this.#hear(signal))
  }

  /** Rejects with a `RangeError` when `after` is in the future, and with what the store throws. */
  async events(subscription: EventsSubscription): Promise<AsyncIterableIterator<EventUpdate>> {
    if (this.#closed.signal.aborted) return ended()
    const tail = this.#tailOf(subscription.scopeKey)
    const release = tail.hold()
    try {
      const { head, floor } = await this.#options.stores.events.bounds(subscription.scopeKey)
      const { after = head } = subscription
      if (after < floor) throw expired(after, floor)
      if (after > head) throw new RangeError(`There is no event ${after} yet: the log ends at ${head}.`)
      // Who begins with a scope has joined its tail from the beginning, and so misses no delta.
      await tail.reach(head, after === 0 && head <= SHORT_LOG ? 0 : head)
      return this.#closed.signal.aborted ? ended() : tail.attach(subscription, after).updates
    } finally {
      release()
    }
  }

  async eventsToCome({ storageKey, ...kinds }: SubscriptionToCome): Promise<AsyncIterableIterator<EventUpdate>> {
    if (this.#closed.signal.aborted) return ended()
    const toCome = new EventsToCome({
      wait: (found) => this.#awaited.wait(storageKey, found),
      open: (scopeKey) => this.events({ ...kinds, scopeKey, after: 0 }),
      clock: this.#options.clock,
      quietMs: this.#timing.quietMs,
      onSettled: (settled) => this.#toCome.delete(settled),
    })
    this.#toCome.add(toCome)
    return toCome.updates
  }

  liveText(address: LiveAddress): string | undefined {
    return this.#parts.find(address)?.text
  }

  get size(): number {
    let size = this.#toCome.size
    for (const tail of this.#tails.values()) size += tail.size
    return size
  }

  /** The tail stays for as long as a part streams. */
  endIn(scopeKey: ScopeKey): void {
    this.#tails.get(scopeKey)?.endSubscriptions()
  }

  close(): void {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    this.#stopListening()
    this.#poll.stop()
    for (const toCome of this.#toCome) toCome.end()
    for (const tail of this.#tails.values()) tail.close()
    this.#tails.clear()
  }

  #hear(signal: Signal): void {
    switch (signal.type) {
      case 'grown':
        return this.#grown(signal.scopeKey, signal.head, signal.events)
      case 'delta':
        return this.#grew(signal.delta)
      case 'activity':
        return this.#tails.get(signal.activity.session.scopeKey)?.activity(signal.activity)
    }
  }

  /** A scope without a tail needs one from the moment when a part begins to stream in it. */
  #grown(scopeKey: ScopeKey, head: number, events: readonly HarnessEvent[]): void {
    // What begins with the first event of a scope may be its beginning; without events nobody knows.
    if (head <= events.length || events.length === 0) this.#awaited.look()
    const opens = events.some(({ body }) => body.type === 'part.created')
    const tail = opens ? this.#tailOf(scopeKey) : this.#tails.get(scopeKey)
    tail?.grown(head, events)
  }

  #grew(delta: Delta): void {
    const { scopeKey, sessionKey } = delta.session
    if (!this.#parts.wasClosed({ ...delta.address, sessionKey })) this.#tailOf(scopeKey).grew(delta)
  }

  #tailOf(scopeKey: ScopeKey): ScopeTail {
    const known = this.#tails.get(scopeKey)
    if (known) return known
    const { stores, clock, log } = this.#options
    const { quietMs } = this.#timing
    const onIdle = () => {
      tail.close()
      if (this.#tails.get(scopeKey) === tail) this.#tails.delete(scopeKey)
      if (this.#tails.size === 0) this.#poll.stop()
    }
    const tail = new ScopeTail({ scopeKey, events: stores.events, parts: this.#parts, clock, log, quietMs, onIdle })
    this.#tails.set(scopeKey, tail)
    this.#poll.start()
    return tail
  }

  /** The scopes to look at; what has not grown for too long is given up on the way. */
  #due(): readonly ScopeKey[] {
    const { clock, log } = this.#options
    for (const part of this.#parts.quietSince(clock.monotonic() - this.#timing.partIdleMs)) {
      log.warn({ ...part.place }, 'A part has not grown for so long that it is taken to stream no more.')
      this.#tails.get(part.place.scopeKey)?.forget(part)
    }
    return [...this.#tails.keys()]
  }
}

function ended(): Outlet<EventUpdate> {
  const outlet = new Outlet<EventUpdate>({ pulled: () => {}, left: () => {} })
  outlet.end()
  return outlet
}
