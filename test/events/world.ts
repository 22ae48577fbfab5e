import { utf8Length } from '../../src/kernel/text.ts'
import {
  type GenerationId,
  type MessageId,
  messageIdOf,
  partIdOf,
  type RunId,
  type ScopeKey,
  type SessionId,
  type StorageKey,
  type WriteId,
} from '../../src/kernel/ids.ts'
import type { EventBody, HarnessEvent, PartAddress } from '../../src/domain/event/event.ts'
import type { StreamingKind } from '../../src/domain/message/message.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import type { ActivityKind } from '../../src/domain/session/session.ts'
import { eventHub, type EventHubTiming } from '../../src/events/event-hub.ts'
import { inProcessTransport } from '../../src/events/in-process-transport.ts'
import type { EventTransport, SessionRef } from '../../src/ports/event-transport.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { EventsSubscription, EventUpdate, Subscriptions } from '../../src/ports/subscriptions.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts'
import { type RecordedLog, recordedLog } from './recorded-log.ts'

export interface WorldOptions {
  readonly timing?: Partial<EventHubTiming>
  /** Stands between the publishers and the hub. */
  readonly transport?: (inner: EventTransport) => EventTransport
  /** Stands between the hub and the stores. */
  readonly stores?: (inner: Stores) => Pick<Stores, 'events' | 'scopes'>
}

/** A hub over memory stores, with one scope, driven by hand. */
export interface World {
  readonly clock: VirtualClock
  readonly stores: Stores
  readonly hub: Subscriptions
  readonly log: RecordedLog
  readonly scopeKey: ScopeKey
  /** Listeners on the transport. */
  readonly listeners: () => number
  readonly session: (id: string, parent?: StoredSession) => Promise<StoredSession>
  /** Commits a change without telling anybody, and answers its events. */
  readonly write: (change: Partial<Commit>) => Promise<readonly HarnessEvent[]>
  /** Commits events without telling anybody. */
  readonly record: (session: StoredSession, ...bodies: EventBody[]) => Promise<readonly HarnessEvent[]>
  /** Says that the log has grown. */
  readonly tell: (head: number, events?: readonly HarnessEvent[]) => void
  /** Commits events and tells of them. */
  readonly commit: (session: StoredSession, ...bodies: EventBody[]) => Promise<readonly HarnessEvent[]>
  readonly activity: (session: StoredSession, kind: ActivityKind) => void
  readonly part: (session: StoredSession, which?: PartChoice) => PartHandle
  readonly subscribe: (options?: Partial<EventsSubscription>) => Promise<AsyncIterableIterator<EventUpdate>>
}

export interface PartChoice {
  readonly runId?: RunId
  readonly messageIndex?: number
  readonly partIndex?: number
  readonly kind?: StreamingKind
}

/** A part as its run drives it. */
export interface PartHandle {
  readonly address: PartAddress
  /** Everything that was said. */
  readonly text: () => string
  readonly created: EventBody
  readonly completed: EventBody
  readonly open: () => Promise<readonly HarnessEvent[]>
  readonly say: (text: string) => void
  /** Grows without a delta: it got lost. */
  readonly mumble: (text: string) => void
  readonly complete: () => Promise<readonly HarnessEvent[]>
}

export const runA = 'run-a' as RunId

export async function world({ timing, transport: wrapped, stores: wrappedStores }: WorldOptions = {}): Promise<World> {
  const clock = virtualClock()
  const log = recordedLog()
  const stores = memoryStores({ clock })
  const inner = inProcessTransport({ log })
  const transport = wrapped?.(inner) ?? inner
  const hub = eventHub({ stores: wrappedStores?.(stores) ?? stores, transport, clock, log, ...(timing && { timing }) })
  const { key: scopeKey } = await stores.scopes.ensure('scope' as StorageKey, clock.now())
  let writes = 0
  const writeId = () => `write-${(writes += 1)}` as WriteId
  const nothing = { scopeKey, created: [], sessions: [], rollUps: [], rows: [], events: [] }

  const tell: World['tell'] = (head, events = []) => transport.publish({ type: 'grown', scopeKey, head, events })

  const write: World['write'] = async (change) => {
    const [committed] = await stores.unit.commit(writeId(), [{ ...nothing, ...change }])
    const limit = change.events?.length ?? 0
    const after = (committed?.firstSequence ?? 1) - 1
    return limit === 0 ? [] : (await stores.events.read({ scopeKey, filter: {}, after, limit })).events
  }

  const record: World['record'] = (session, ...bodies) =>
    write({ events: bodies.map((body) => ({ sessionKey: session.key, timestamp: clock.now(), body })) })

  const commit: World['commit'] = async (session, ...bodies) => {
    const events = await record(session, ...bodies)
    tell(events.at(-1)?.sequence ?? 0, events)
    return events
  }

  const part: World['part'] = (session, { runId = runA, messageIndex = 1, partIndex = 0, kind = 'text' } = {}) => {
    const messageId = messageIdOf(runId, 1)
    const address = { runId, messageId, partId: partIdOf(messageId, partIndex), messageIndex, partIndex }
    const created = { type: 'part.created', ...address } as const
    const completed = { type: 'part.completed', ...address } as const
    let text = ''
    const mumble = (more: string) => {
      text += more
    }
    return {
      address,
      text: () => text,
      created,
      completed,
      mumble,
      open: () => commit(session, created),
      say(delta) {
        const baseBytes = utf8Length(text)
        mumble(delta)
        const totalBytes = utf8Length(text)
        const base = { session: refOf(session), address, kind, timestamp: clock.now() }
        transport.publish({ type: 'delta', delta: { ...base, delta, baseBytes, totalBytes } })
      },
      complete: () => commit(session, completed),
    }
  }

  return {
    clock,
    stores,
    hub,
    log,
    scopeKey,
    listeners: () => inner.listeners,
    async session(id, parent) {
      const key = await stores.sessions.reserveKeys(1)
      const generationId = `generation-of-${id}` as GenerationId
      const named = { key, scopeKey, sessionId: id as SessionId, generationId, title: null, metadata: null }
      const seed = { ...named, createdBy: 'somebody', at: clock.now() }
      const origin = { parentRunId: runA, parentToolCallId: 'call' }
      const session = parent ? newSession(seed, { parent, agent: 'helper', origin }) : newSession(seed)
      await stores.unit.commit(writeId(), [{ ...nothing, created: [session] }])
      const [stored] = await stores.sessions.findMany([key])
      if (!stored) throw new Error(`The session ${id} was not stored.`)
      return stored
    },
    write,
    record,
    tell,
    commit,
    activity: (session, kind) =>
      transport.publish({
        type: 'activity',
        activity: { session: refOf(session), kind, runId: null, since: clock.now() },
      }),
    part,
    subscribe: (options) => hub.events({ scopeKey, deltas: true, ...options }),
  }
}

export const only = ({ key, place: { path } }: StoredSession, includeDescendants = false) =>
  ({ session: { key, path, includeDescendants } }) as const

const refOf = ({ key, scopeKey, sessionId, generation, place }: StoredSession): SessionRef => ({
  scopeKey,
  sessionKey: key,
  sessionId,
  generation,
  path: place.path,
})

/** An event that says nothing of interest, told from others by its number. */
export const note = (n: number): EventBody => ({
  type: 'message.updated',
  runId: runA,
  messageId: `message-${n}` as MessageId,
  messageIndex: n,
})

export const notes = (from: number, to: number): EventBody[] =>
  Array.from({ length: to - from + 1 }, (_, i) => note(from + i))

export const finished = (runId: RunId, status: 'COMPLETED' | 'FAILED' = 'COMPLETED'): EventBody => ({
  type: 'run.finished',
  runId,
  messageId: messageIdOf(runId, 1),
  status,
  error: null,
})
