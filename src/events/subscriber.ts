/**
 * One subscriber of a scope's events. Owns what waits for it, bounded whatever the consumer does, and how far it has
 * got.
 *
 * It is `behind` while it reads the log, a page whenever the consumer has taken the last one, and `joined` once it
 * has reached the tail, which then hands it every event in order. A joined subscriber whose queue overflows drops it
 * and is behind again, from the first event that it dropped. So it gets each event exactly once, in order, and never
 * blocks anyone. Deltas are not queued: `PartCursors` merges what was missed. A part's last text goes into the queue,
 * before its completion.
 */
import type { HarnessEvent } from '../domain/event/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { ActivityChange } from '../ports/event-transport.ts'
import type { EventFilter } from '../ports/stores/events.ts'
import type { EventsSubscription, EventUpdate } from '../ports/subscriptions.ts'
import type { Log } from '../ports/telemetry.ts'
import { listensTo } from './audience.ts'
import { LatestActivities } from './latest-activities.ts'
import type { LivePart } from './live-part.ts'
import { Outlet } from './outlet.ts'
import { PartCursors } from './part-cursors.ts'
import { type EventLog, readPage } from './read-page.ts'
import { retrying } from './retrying.ts'
import { UpdateQueue } from './update-queue.ts'

const PAGE = 256

/** What a subscriber needs of the tail of its scope. */
export interface Upstream {
  /** All events up to here have been handed out. */
  readonly head: number
  /** The events after `after`, if the tail still remembers them all. */
  since(after: number): readonly HarnessEvent[] | undefined
  /** The parts that stream, as of `head`. */
  readonly streaming: readonly LivePart[]
  /** From now on the subscriber is handed what happens after `head`, until it leaves. */
  joined(subscriber: Subscriber): void
  left(subscriber: Subscriber): void
  detached(subscriber: Subscriber): void
  /** The log reaches to `head`. */
  noticed(head: number): void
}

export interface SubscriberOptions {
  readonly subscription: EventsSubscription
  /** At most the head of the tail. */
  readonly after: number
  readonly upstream: Upstream
  readonly events: EventLog
  readonly clock: Clock
  readonly log: Log
  /** After how long without an event or `advanced` the subscriber is told how far the log has got. */
  readonly quietMs: number
}

type State = { readonly kind: 'joined' } | { readonly kind: 'behind'; readonly cursor: number }

export class Subscriber {
  readonly subscription: EventsSubscription
  readonly updates: Outlet<EventUpdate>
  readonly #options: SubscriberOptions
  readonly #types: ReadonlySet<string> | undefined
  readonly #detached = new AbortController()
  readonly #parts = new PartCursors()
  readonly #activities = new LatestActivities()
  readonly #queue = new UpdateQueue()
  #state: State
  #isReading = false
  #cursorGivenAt: number
  #stopWaiting: (() => void) | undefined

  constructor(options: SubscriberOptions) {
    const { subscription, after, clock } = options
    this.subscription = subscription
    this.#options = options
    this.#types = subscription.types && new Set(subscription.types)
    this.#state = { kind: 'behind', cursor: after }
    this.#cursorGivenAt = clock.monotonic()
    this.updates = new Outlet({ pulled: () => this.#serve(), left: () => this.#detach() })
    this.#join(after)
  }

  /** An event of a session that it listens to has been committed. */
  push(event: HarnessEvent): void {
    if (this.#state.kind !== 'joined' || !this.#wants(event)) return
    this.#enqueue({ type: 'event', event })
  }

  /** A part begins to stream. */
  begin(part: LivePart): void {
    if (this.#state.kind !== 'joined' || !this.subscription.deltas) return
    this.#parts.begin(part)
    this.#serve()
  }

  grew(part: LivePart): void {
    this.#parts.grew(part)
    this.#serve()
  }

  /** A part streams no more, which the event says that is pushed after this. */
  close(part: LivePart): void {
    const rest = this.#parts.close(part)
    if (rest) this.#enqueue(rest)
  }

  /** A part streams no more, and no event will say so. */
  forget(part: LivePart): void {
    this.#parts.close(part)
  }

  activity(activity: ActivityChange): void {
    if (this.#state.kind !== 'joined' || !this.subscription.deltas) return
    this.#activities.put(activity, this.#options.clock.now())
    this.#serve()
  }

  /** Ends the subscription, and says so to the consumer: with an error if there is one. */
  end(error?: unknown): void {
    if (error === undefined) this.updates.end()
    else this.updates.fail(error)
    this.#detach()
  }

  /** The end of its session is the end of the subscription, whatever it wants to hear of. */
  #wants(event: HarnessEvent): boolean {
    return this.#tells(event) || isFarewell(this.subscription, event)
  }

  #tells({ body }: HarnessEvent): boolean {
    return this.#types?.has(body.type) ?? true
  }

  #enqueue(update: EventUpdate): void {
    this.#queue.push(update)
    this.#serve()
    if (this.#queue.isOverfull) this.#fallBehind()
  }

  /**
   * Goes on from before the first event that is dropped; that is at the latest the one that is being handed out now.
   */
  #fallBehind(): void {
    const { upstream } = this.#options
    this.#state = { kind: 'behind', cursor: (this.#queue.firstSequence ?? upstream.head) - 1 }
    this.#drop()
    upstream.left(this)
  }

  #drop(): void {
    this.#queue.clear()
    this.#activities.clear()
    this.#parts.clear()
  }

  #detach(): void {
    if (this.#detached.signal.aborted) return
    this.#detached.abort()
    this.#stopWaiting?.()
    this.#drop()
    this.#options.upstream.detached(this)
  }

  /** Answers whoever asks as long as there is something to say; then waits for more. */
  #serve(): void {
    while (this.updates.isAwaited) {
      const update = this.#take()
      if (!update) return this.#wait()
      if (update.type === 'event' && isFarewell(this.subscription, update.event)) {
        if (this.#tells(update.event)) this.updates.answer(update)
        return this.end()
      }
      if (update.type === 'event' || update.type === 'advanced') this.#cursorGivenAt = this.#options.clock.monotonic()
      this.updates.answer(update)
    }
  }

  #take(): EventUpdate | undefined {
    const queued = this.#queue.shift()
    if (queued) return queued
    if (this.#state.kind === 'behind') return this.#join(this.#state.cursor) ? this.#take() : undefined
    if (this.#quietFor <= 0) return this.#advanced()
    return this.#parts.next() ?? this.#activities.shift()
  }

  #advanced(): EventUpdate {
    const { upstream, clock } = this.#options
    return { type: 'advanced', sequence: upstream.head, timestamp: clock.now() }
  }

  /** Milliseconds until the consumer needs a new cursor. */
  get #quietFor(): number {
    const { clock, quietMs } = this.#options
    return this.#cursorGivenAt + quietMs - clock.monotonic()
  }

  #wait(): void {
    if (this.#state.kind === 'behind') {
      void this.#read(this.#state.cursor)
      return
    }
    this.#stopWaiting ??= this.#options.clock.after(this.#quietFor, () => {
      this.#stopWaiting = undefined
      this.#serve()
    })
  }

  /** Joins the tail if that still remembers everything after `cursor`. */
  #join(cursor: number): boolean {
    const { upstream } = this.#options
    const missed = upstream.since(cursor)
    if (!missed) return false
    this.#state = { kind: 'joined' }
    for (const event of missed) {
      if (listensTo(this.subscription, event.path) && this.#wants(event)) this.#queue.push({ type: 'event', event })
    }
    if (this.subscription.deltas) {
      for (const part of upstream.streaming) if (listensTo(this.subscription, part.place.path)) this.#parts.join(part)
    }
    upstream.joined(this)
    return true
  }

  /**
   * Reads the next page of the log, no further than the tail has got: from there on the tail brings everything.
   * It stays behind meanwhile: events that the tail has forgotten never come back to its memory.
   */
  async #read(after: number): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    const { events, upstream, clock, log } = this.#options
    const { signal } = this.#detached
    const { scopeKey } = this.subscription
    const query = { scopeKey, filter: filterOf(this.subscription), after, limit: PAGE }
    try {
      const attempt = { clock, log, signal, what: 'Reading events for a subscriber' }
      const page = await retrying(attempt, () => readPage(events, query))
      if (!signal.aborted) {
        const wanted = page.events.filter((event) => event.sequence <= upstream.head && this.#wants(event))
        for (const event of wanted) this.#queue.push({ type: 'event', event })
        this.#state = { kind: 'behind', cursor: Math.min(page.scannedTo, upstream.head) }
        upstream.noticed(page.head)
        if (this.#queue.isEmpty) await clock.breathe()
      }
    } catch (error) {
      if (!signal.aborted) this.end(error)
    } finally {
      this.#isReading = false
    }
    this.#serve()
  }
}

const filterOf = ({ session, types }: EventsSubscription): EventFilter => ({
  ...(session && { session }),
  ...(types && { types: session ? [...types, 'session.deleted' as const] : types }),
})

/** Whether the event tells of the end of the session that the subscription is about. */
const isFarewell = ({ session }: EventsSubscription, { body, sessionKey }: HarnessEvent): boolean =>
  body.type === 'session.deleted' && sessionKey === session?.key
