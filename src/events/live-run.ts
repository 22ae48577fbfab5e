/**
 * Watches runs: turns the events and deltas of a session, and of those below it, into "these messages of this run, and of the
 * runs to which it has delegated, have changed". Holds no content: who receives an update reads the messages. Owns one
 * subscription per watcher.
 *
 * It subscribes before it looks which run there is, so nothing falls in between. Changes that come faster than
 * updates may, or than the consumer asks, are one update: a set of message ids, however long it takes.
 */
import type { MessageId, QueueId, RunId } from '../kernel/ids.ts'
import type { EventType, HarnessEvent } from '../domain/event/event.ts'
import { MAX_PAGE } from '../domain/limits.ts'
import type { Run } from '../domain/run/run.ts'
import type { Clock } from '../ports/clock.ts'
import type { LiveRuns, LiveRunSession, LiveRunUpdate } from '../ports/live-run.ts'
import type { MessageStore } from '../ports/stores/messages.ts'
import type { QueueStore } from '../ports/stores/queue.ts'
import type { RunStore } from '../ports/stores/runs.ts'
import type { SessionStore } from '../ports/stores/sessions.ts'
import type { EventUpdate, Subscriptions } from '../ports/subscriptions.ts'
import { delegatedRuns } from './delegated-runs.ts'
import { Outlet } from './outlet.ts'

const TEN_A_SECOND_MS = 100

const watched: readonly EventType[] = [
  'prompt.started',
  'prompt.finished',
  'run.started',
  'run.finished',
  'message.created',
  'message.updated',
  'part.created',
  'part.updated',
  'part.completed',
]

export interface LiveRunsOptions {
  readonly subscriptions: Pick<Subscriptions, 'events'>
  readonly stores: {
    readonly sessions: Pick<SessionStore, 'findMany'>
    readonly runs: Pick<RunStore, 'find' | 'findMany' | 'latest'>
    readonly messages: Pick<MessageStore, 'pages' | 'parts'>
    readonly queue: Pick<QueueStore, 'findMany'>
  }
  readonly clock: Clock
}

export const liveRuns = (options: LiveRunsOptions): LiveRuns => ({
  async follow(session) {
    const { scopeKey, key, path } = session
    const source = await options.subscriptions.events({
      scopeKey,
      session: { key, path, includeDescendants: true },
      types: watched,
      deltas: true,
    })
    return new Watcher(options, session, source).updates
  },
})

class Watcher {
  readonly updates: Outlet<LiveRunUpdate>
  readonly #options: LiveRunsOptions
  readonly #session: LiveRunSession
  readonly #source: AsyncIterableIterator<EventUpdate>
  /** The run, once there is one, and those to which it has delegated. */
  readonly #runs = new Set<RunId>()
  /** The messages of these runs, each run's oldest first, and those of them that have changed. */
  readonly #messages = new Set<MessageId>()
  readonly #changed = new Set<MessageId>()
  #runId: RunId | undefined
  #status: LiveRunUpdate['status'] = 'RUNNING'
  #isDue = false
  #notBefore = 0
  #cancelTimer: (() => void) | undefined

  constructor(options: LiveRunsOptions, session: LiveRunSession, source: AsyncIterableIterator<EventUpdate>) {
    this.#options = options
    this.#session = session
    this.#source = source
    this.updates = new Outlet({ pulled: () => this.#serve(), left: () => this.#leave() })
    void this.#watch()
  }

  async #watch(): Promise<void> {
    try {
      let goesOn = await this.#look()
      while (goesOn) {
        const next = await this.#source.next()
        if (next.done) return this.updates.end()
        goesOn = await this.#hear(next.value)
        this.#serve()
      }
      if (this.#runId === undefined) this.updates.end()
    } catch (error) {
      this.updates.fail(error)
    } finally {
      await this.#source.return?.()
    }
  }

  /** Looks which run there is to watch. False when there is nothing to wait for. */
  async #look(): Promise<boolean> {
    const { sessions, runs } = this.#options.stores
    const { key } = this.#session
    const [session] = await sessions.findMany([key])
    if (!session) return false
    const { work } = session
    if (work.kind === 'queued') return true
    const run = work.kind === 'running' ? await runs.find(key, work.run) : (await runs.latest([key]))[0]
    return run !== undefined && (await this.#begin(run))
  }

  /** Watches the run from now on. False when it has ended. */
  async #begin(run: Run): Promise<boolean> {
    const { runId, state } = run
    for (const each of [run, ...(await delegatedRuns(this.#options.stores, run))]) {
      const messageIds = await this.#messagesOf(each)
      this.#runs.add(each.runId)
      for (const messageId of messageIds) this.#change({ runId: each.runId, messageId })
    }
    this.#runId = runId
    this.#status = state.kind === 'finished' ? state.outcome.status : 'RUNNING'
    this.#isDue = true
    this.#serve()
    return this.#status === 'RUNNING'
  }

  async #messagesOf({ sessionKey, runId }: Run): Promise<readonly MessageId[]> {
    const ids: MessageId[] = []
    for (let after = -1; ; ) {
      const query = { sessionKey, runId, after, take: 'first', limit: MAX_PAGE } as const
      const [page = []] = await this.#options.stores.messages.pages([query])
      ids.push(...page.map(({ messageId }) => messageId))
      const last = page.at(-1)
      if (!last || page.length < MAX_PAGE) return ids
      after = last.index
    }
  }

  /** False when the run has ended, or no run will come. */
  async #hear(update: EventUpdate): Promise<boolean> {
    if (update.type === 'event') {
      return this.#runId === undefined ? this.#hearWaiting(update.event) : this.#hearRunning(update.event)
    }
    if (update.type === 'delta') this.#change(update.delta.address)
    if (update.type === 'snapshot') this.#change(update.address)
    return true
  }

  async #hearWaiting({ sessionKey, body }: HarnessEvent): Promise<boolean> {
    if (sessionKey !== this.#session.key) return true
    if (body.type === 'prompt.finished') return this.#look()
    if (body.type !== 'run.started') return true
    const [run] = await this.#options.stores.runs.findMany([body.runId])
    return run ? this.#begin(run) : true
  }

  async #hearRunning({ body }: HarnessEvent): Promise<boolean> {
    if (body.type === 'prompt.started') await this.#hearStarted(body)
    if ('messageId' in body) this.#change(body)
    if (body.type !== 'run.finished' || body.runId !== this.#runId) return true
    this.#status = body.status
    this.#isDue = true
    return false
  }

  /** A run of a session below is watched, too, if it is executed for a call of one that is. */
  async #hearStarted({ queueId, runId }: Extract<HarnessEvent['body'], { readonly queueId: QueueId }>): Promise<void> {
    if (runId === null || this.#runs.has(runId)) return
    const [entry] = await this.#options.stores.queue.findMany([queueId])
    if (entry?.delegation && this.#runs.has(entry.delegation.parentRunId)) this.#runs.add(runId)
  }

  #change({ runId, messageId }: { readonly runId: RunId; readonly messageId: MessageId }): void {
    if (!this.#runs.has(runId)) return
    this.#messages.add(messageId)
    this.#changed.add(messageId)
    this.#isDue = true
  }

  #serve(): void {
    if (!this.updates.isAwaited || !this.#isDue || this.#runId === undefined) return
    const { clock } = this.#options
    const early = this.#notBefore - clock.monotonic()
    if (early > 0) {
      this.#cancelTimer ??= clock.after(early, () => {
        this.#cancelTimer = undefined
        this.#serve()
      })
      return
    }
    this.#notBefore = clock.monotonic() + TEN_A_SECOND_MS
    this.#isDue = false
    const messageIds = [...this.#messages].filter((messageId) => this.#changed.has(messageId))
    this.updates.answer({ runId: this.#runId, status: this.#status, messageIds })
    this.#changed.clear()
    if (this.#status !== 'RUNNING') this.updates.end()
  }

  #leave(): void {
    this.#cancelTimer?.()
    void this.#source.return?.()
  }
}
