/**
 * Follows the log of one scope. Owns how far the log has been handed out and its newest events.
 *
 * Hands out every event once, in order: from a signal when its events go on exactly at the head, otherwise from the
 * log. So signals may be lost, repeated, late, out of order or empty. Reads one page at a time; a reading that fails
 * is logged and repeated. When events were removed before they were handed out, it says so and begins anew at the end
 * of the log.
 */
import { Fault } from '../kernel/fault.ts'
import type { ScopeKey } from '../kernel/ids.ts'
import type { HarnessEvent } from '../domain/event/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/telemetry.ts'
import { type EventLog, readPage } from './read-page.ts'
import { retrying } from './retrying.ts'

const PAGE = 256
/** Newest events that a subscriber who is nearly there finds here instead of in the log. */
const REMEMBERED = 64

export interface LogTailOptions {
  readonly scopeKey: ScopeKey
  readonly events: EventLog
  readonly clock: Clock
  readonly log: Log
  readonly onEvent: (event: HarnessEvent) => void
  /** All events up to the head have been handed out, or there were none. */
  readonly onMoved: () => void
  /** Events were removed before they could be handed out. */
  readonly onLost: (error: unknown) => void
}

export class LogTail {
  readonly #options: LogTailOptions
  readonly #closed = new AbortController()
  /** Who waits for a reading that has not begun. */
  readonly #waiting: (() => void)[] = []
  #recent: HarnessEvent[] = []
  /** `#recent` holds everything after this. */
  #recentAfter = 0
  /** Undefined until it is known where to begin. */
  #head: number | undefined
  #wanted = 0
  #isReading = false
  #readAgain = false

  constructor(options: LogTailOptions) {
    this.#options = options
  }

  /** Everything up to here, and nothing after it, has been handed out. */
  get head(): number {
    return this.#head ?? 0
  }

  /** False while it is still asking where to begin. */
  get hasBegun(): boolean {
    return this.#head !== undefined
  }

  /** The events after `after`; undefined when they are not all remembered. */
  since(after: number): readonly HarnessEvent[] | undefined {
    return after < this.#recentAfter ? undefined : this.#recent.filter(({ sequence }) => sequence > after)
  }

  /** Begins after `head`, unless it has begun. */
  begin(head: number): void {
    if (this.#head !== undefined) return
    this.#head = head
    this.#recent = []
    this.#recentAfter = head
    this.noticed(head)
  }

  /** The log has grown to `head`; `events`, if any, are the newest, without a gap. */
  grown(head: number, events: readonly HarnessEvent[]): void {
    const [first] = events
    if (this.#head !== undefined && first && first.sequence <= this.#head + 1) this.#take(events, head)
    else this.noticed(head)
  }

  /** The log reaches to `head` at least. */
  noticed(head: number): void {
    this.#wanted = Math.max(this.#wanted, head)
    if (this.#head !== undefined && this.#wanted > this.#head) this.#catchUp()
  }

  /** Resolves when everything up to `head`, which the log has reached, has been handed out, or when it is closed. */
  async reach(head: number): Promise<void> {
    if (this.#head === undefined || this.#head < head) await this.refresh()
  }

  /** Resolves when everything that is in the log now has been handed out, or when it is closed. */
  async refresh(): Promise<void> {
    if (this.#closed.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.#catchUp()
    await promise
  }

  close(): void {
    this.#closed.abort()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #take(events: readonly HarnessEvent[], head: number): void {
    for (const event of events) {
      if (event.sequence <= this.head) continue
      this.#head = event.sequence
      if (event.body.type === 'session.deleted') this.#forget(event.sessionKey)
      this.#recent.push(event)
      this.#options.onEvent(event)
    }
    this.#head = Math.max(this.head, head)
    if (this.#recent.length > 2 * REMEMBERED) {
      const forgotten = this.#recent.splice(0, this.#recent.length - REMEMBERED)
      this.#recentAfter = forgotten.at(-1)?.sequence ?? this.#recentAfter
    }
    this.#options.onMoved()
  }

  /** What was erased in the log is not remembered here either. */
  #forget(sessionKey: HarnessEvent['sessionKey']): void {
    this.#recent = this.#recent.filter((event) => event.sessionKey !== sessionKey)
  }

  /** Reads the log to its end, once more if it is asked to while it reads. */
  #catchUp(): void {
    this.#readAgain = true
    if (!this.#isReading) void this.#read()
  }

  async #read(): Promise<void> {
    const { clock, log, onLost } = this.#options
    const { signal } = this.#closed
    this.#isReading = true
    while (this.#readAgain && !signal.aborted) {
      this.#readAgain = false
      const served = this.#waiting.splice(0)
      try {
        await retrying({ clock, log, signal, what: 'Reading the log of a scope' }, () => this.#readToEnd())
        for (const resolve of served) resolve()
      } catch (error) {
        this.#waiting.push(...served)
        if (signal.aborted) break
        this.#head = undefined
        this.#readAgain = true
        onLost(error)
      }
    }
    this.#isReading = false
    if (signal.aborted) this.close()
  }

  async #readToEnd(): Promise<void> {
    const { events, scopeKey } = this.#options
    if (this.#head === undefined) {
      // A page early: there may be what opened a part, and what closed it, since its first delta made somebody ask.
      const { head, floor } = await events.bounds(scopeKey)
      this.begin(Math.max(floor, head - PAGE))
    }
    let end = this.#wanted
    do {
      const after = this.head
      const page = await readPage(events, { scopeKey, filter: {}, after, limit: PAGE })
      if (this.#closed.signal.aborted) return
      if (page.scannedTo <= after && after < end) throw new Fault('store', 'The log hides what it has numbered.')
      this.#take(page.events, page.scannedTo)
      end = page.head
    } while (this.head < end)
  }
}
