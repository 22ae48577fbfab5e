/*
 * Subscriptions whose end loses nothing. Closing subscriptions, all or those of a scope, ends them at once, whatever their
 * consumers have still to take; so whoever listens until then gets, from the log, what was committed before the end. Owns
 * how far each has got. For consumers that ask for one update after another.
 */
import type { EventStore } from '../ports/stores/events.ts'
import type { ScopeStore } from '../ports/stores/scopes.ts'
import type { EventsSubscription, EventUpdate, Subscriptions, SubscriptionToCome } from '../ports/subscriptions.ts'

interface Logs {
  readonly events: EventLog
  readonly scopes: Pick<ScopeStore, 'find'>
}

type EventLog = Pick<EventStore, 'bounds' | 'read'>
type Step = IteratorResult<EventUpdate, undefined>

const PAGE = 200
const over: Step = { done: true, value: undefined }

/** The same subscriptions, with the last events. The log stays open until they have been taken. */
export function withLastEvents(subscriptions: Subscriptions, { events: log, scopes }: Logs): Subscriptions {
  let isClosed = false
  return {
    async events(subscription) {
      const { scopeKey, after } = subscription
      const begin = after ?? (await log.bounds(scopeKey)).head
      const updates = await subscriptions.events(subscription)
      if (isClosed) return updates
      return new Ending({ updates, begin, lastEvents: (seen) => eventsAfter(log, subscription, seen) })
    },
    async eventsToCome(subscription) {
      const updates = await subscriptions.eventsToCome(subscription)
      if (isClosed) return updates
      const lastEvents = (seen: number) => eventsOfNewcomer({ log, scopes, subscription, seen })
      return new Ending({ updates, begin: 0, lastEvents })
    },
    liveText: (address) => subscriptions.liveText(address),
    get size() {
      return subscriptions.size
    },
    endIn: (scopeKey) => subscriptions.endIn(scopeKey),
    close() {
      isClosed = true
      subscriptions.close()
    },
  }
}

interface EndingParts {
  readonly updates: AsyncIterator<EventUpdate>
  /** The sequence that the consumer has seen before the first update. */
  readonly begin: number
  /** What follows the updates when they were ended. */
  readonly lastEvents: (seen: number) => AsyncIterator<EventUpdate>
}

class Ending implements AsyncIterableIterator<EventUpdate, undefined> {
  readonly #updates: EndingParts['updates']
  readonly #lastEvents: EndingParts['lastEvents']
  #seen: number
  #rest: AsyncIterator<EventUpdate> | undefined
  #hasLeft = false

  constructor({ updates, begin, lastEvents }: EndingParts) {
    this.#updates = updates
    this.#seen = begin
    this.#lastEvents = lastEvents
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<Step> {
    const step = this.#rest ? undefined : await this.#updates.next()
    if (step?.done === false) {
      this.#seen = sequenceOf(step.value) ?? this.#seen
      return step
    }
    if (this.#hasLeft) return over
    this.#rest ??= this.#lastEvents(this.#seen)
    const last = await this.#rest.next()
    return last.done === true ? over : last
  }

  async return(): Promise<Step> {
    this.#hasLeft = true
    await this.#updates.return?.()
    return over
  }
}

function sequenceOf(update: EventUpdate): number | undefined {
  if (update.type === 'event') return update.event.sequence
  return update.type === 'advanced' ? update.sequence : undefined
}

interface Newcomer {
  readonly log: EventLog
  readonly scopes: Pick<ScopeStore, 'find'>
  readonly subscription: SubscriptionToCome
  readonly seen: number
}

async function* eventsOfNewcomer({ log, scopes, subscription, seen }: Newcomer): AsyncGenerator<EventUpdate> {
  const { storageKey, ...kinds } = subscription
  const scope = await scopes.find(storageKey)
  if (scope) yield* eventsAfter(log, { ...kinds, scopeKey: scope.key }, seen)
}

async function* eventsAfter(
  log: EventLog,
  { scopeKey, session, types }: EventsSubscription,
  seen: number,
): AsyncGenerator<EventUpdate> {
  const { head } = await log.bounds(scopeKey)
  const filter = { ...(session && { session }), ...(types && { types }) }
  for (let after = seen; after < head; ) {
    const { events, scannedTo } = await log.read({ scopeKey, filter, after, limit: PAGE })
    for (const event of events) yield { type: 'event', event }
    if (scannedTo <= after) return
    after = scannedTo
  }
}
