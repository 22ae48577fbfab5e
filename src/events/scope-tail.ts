/**
 * What happens in one scope, for as long as somebody listens to it or a part streams in it. Owns its subscribers, and
 * of the parts that stream which ones they know of; hands them what the tail of the log and the deltas bring.
 *
 * A part streams for subscribers from its `part.created`. A delta may come before the log has told of that, or the
 * log has told of it before the tail began: such a part is not shown until the log has been read past the moment of
 * that delta.
 */
import type { ScopeKey } from '../kernel/ids.ts'
import type { HarnessEvent } from '../domain/event/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { ActivityChange, Delta } from '../ports/event-transport.ts'
import type { EventsSubscription } from '../ports/subscriptions.ts'
import type { Log } from '../ports/telemetry.ts'
import { Audience } from './audience.ts'
import type { LivePart } from './live-part.ts'
import type { LiveAddress, LiveParts } from './live-parts.ts'
import { LogTail } from './log-tail.ts'
import type { EventLog } from './read-page.ts'
import { Subscriber, type Upstream } from './subscriber.ts'

export interface ScopeTailOptions {
  readonly scopeKey: ScopeKey
  readonly events: EventLog
  readonly parts: LiveParts
  readonly clock: Clock
  readonly log: Log
  readonly quietMs: number
  /** Called when nobody listens and nothing streams any more. */
  readonly onIdle: () => void
}

export class ScopeTail implements Upstream {
  readonly log: LogTail
  readonly #options: ScopeTailOptions
  readonly #subscribers = new Set<Subscriber>()
  readonly #joined = new Audience<Subscriber>()
  /** Parts that deltas have opened and that subscribers do not know of yet. */
  readonly #unannounced = new Set<LivePart>()
  #holds = 0

  constructor(options: ScopeTailOptions) {
    const { scopeKey, events, clock, log } = options
    this.#options = options
    this.log = new LogTail({
      scopeKey,
      events,
      clock,
      log,
      onEvent: (event) => this.#handOut(event),
      onMoved: () => this.#settle(),
      onLost: (error) => this.#lose(error),
    })
  }

  get size(): number {
    return this.#subscribers.size
  }

  get head(): number {
    return this.log.head
  }

  get streaming(): readonly LivePart[] {
    return this.#parts.filter((part) => !this.#unannounced.has(part))
  }

  since(after: number): readonly HarnessEvent[] | undefined {
    return this.log.since(after)
  }

  noticed(head: number): void {
    this.log.noticed(head)
  }

  joined(subscriber: Subscriber): void {
    this.#joined.add(subscriber)
  }

  left(subscriber: Subscriber): void {
    this.#joined.delete(subscriber)
  }

  detached(subscriber: Subscriber): void {
    this.#joined.delete(subscriber)
    this.#subscribers.delete(subscriber)
    this.#settle()
  }

  /** The log has grown to `head`; `events`, if any, are the newest, without a gap. */
  grown(head: number, events: readonly HarnessEvent[]): void {
    const [first] = events
    if (first) this.#begin(first.sequence - 1)
    this.log.grown(head, events)
  }

  /**
   * Resolves when all events up to `head` have been handed out, or when the tail is closed. A tail that has not begun
   * begins after `from`, which is at most the head.
   */
  async reach(head: number, from: number): Promise<void> {
    this.#begin(from)
    await this.log.reach(head)
  }

  /** A subscriber who gets everything after `after`, which is at most the head. */
  attach(subscription: EventsSubscription, after: number): Subscriber {
    const { events, clock, log, quietMs } = this.#options
    const subscriber = new Subscriber({ subscription, after, upstream: this, events, clock, log, quietMs })
    this.#subscribers.add(subscriber)
    return subscriber
  }

  /** Keeps the tail until the result is called, once. */
  hold(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
      this.#settle()
    }
  }

  grew(delta: Delta): void {
    const { parts, clock, log, scopeKey } = this.#options
    const { session, address, baseBytes } = delta
    const place = { ...address, scopeKey, sessionKey: session.sessionKey, path: session.path }
    const isNew = parts.find(place) === undefined
    const part = parts.open(place, clock.monotonic())
    if (!part) return
    const growth = part.append(delta, clock.monotonic())
    if (growth === 'broke') log.warn({ partId: address.partId, baseBytes }, 'A delta is missing: its text is unknown.')
    if (isNew) void this.#announceLater(part)
    if (growth !== 'grew' || this.#unannounced.has(part)) return
    for (const subscriber of this.#joined.of(place.path)) subscriber.grew(part)
  }

  activity(activity: ActivityChange): void {
    for (const subscriber of this.#joined.of(activity.session.path)) subscriber.activity(activity)
  }

  /** Closes a part of which no event will tell any more. */
  forget({ place }: LivePart): void {
    for (const part of this.#close(place)) for (const subscriber of this.#joined.of(place.path)) subscriber.forget(part)
    this.#settle()
  }

  endSubscriptions(): void {
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  /** Ends all subscriptions, and stops following the log. */
  close(): void {
    this.log.close()
    this.endSubscriptions()
  }

  get #parts(): readonly LivePart[] {
    return this.#options.parts.of(this.#options.scopeKey)
  }

  /**
   * While no part streams, nothing that happened before now matters to anybody. Otherwise the tail begins by itself.
   */
  #begin(head: number): void {
    if (this.#parts.length === 0) this.log.begin(head)
  }

  #settle(): void {
    const { parts, scopeKey, onIdle } = this.#options
    if (this.#holds === 0 && this.#subscribers.size === 0 && !parts.has(scopeKey)) onIdle()
  }

  #handOut(event: HarnessEvent): void {
    const listeners = this.#joined.of(event.path)
    const { body } = event
    if (body.type === 'session.deleted') this.#forgetIn(event.sessionKey)
    for (const part of this.#closedBy(event)) for (const subscriber of listeners) subscriber.close(part)
    for (const subscriber of listeners) subscriber.push(event)
    if (body.type !== 'part.created') return
    const { parts, clock, scopeKey } = this.#options
    const { sessionKey, path } = event
    const part = parts.open({ ...body, scopeKey, sessionKey, path }, clock.monotonic())
    if (!part) return
    this.#unannounced.delete(part)
    for (const subscriber of listeners) subscriber.begin(part)
  }

  #closedBy({ body, sessionKey }: HarnessEvent): readonly LivePart[] {
    if (body.type === 'part.completed') return this.#close({ ...body, sessionKey })
    if (body.type !== 'run.finished') return []
    return this.#parts.filter(({ place }) => place.runId === body.runId).flatMap(({ place }) => this.#close(place))
  }

  /** The run of a session that was deleted does not end: it is gone. */
  #forgetIn(sessionKey: HarnessEvent['sessionKey']): void {
    for (const part of this.#parts.filter(({ place }) => place.sessionKey === sessionKey)) this.forget(part)
  }

  #close(address: LiveAddress): readonly LivePart[] {
    const part = this.#options.parts.close(address)
    if (!part) return []
    this.#unannounced.delete(part)
    return [part]
  }

  /**
   * A part that the log does not tell of, though it has been read to its end, was created before the tail began. If
   * the tail had begun when the part spoke, the part streams. Otherwise it may as well be complete: better unseen
   * than wrong.
   */
  async #announceLater(part: LivePart): Promise<void> {
    const { hasBegun } = this.log
    this.#unannounced.add(part)
    await this.log.refresh()
    if (!this.#unannounced.has(part)) return
    if (!hasBegun) return this.forget(part)
    this.#unannounced.delete(part)
    for (const subscriber of this.#joined.of(part.place.path)) subscriber.begin(part)
  }

  #lose(error: unknown): void {
    for (const subscriber of this.#subscribers) subscriber.end(error)
    for (const part of this.#parts) this.forget(part)
  }
}
