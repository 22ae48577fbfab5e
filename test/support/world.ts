import type { Principal } from '../../src/domain/access/principal.ts'
import type { EntrySnapshot, EventType, HarnessEvent } from '../../src/domain/event/event.ts'
import type { SubagentDefinition } from '../../src/domain/delegation/definition.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { asSessionId, asStorageKey, type QueueId, type ScopeId, type SessionId } from '../../src/kernel/ids.ts'
import type { Answer } from '../../src/kernel/refusal.ts'
import type { DelegatedRunAdmission } from '../../src/ports/delegated-run-admission.ts'
import type { Signal } from '../../src/ports/event-transport.ts'
import type { ScopeResolver } from '../../src/ports/scope-resolver.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { eventHub } from '../../src/events/event-hub.ts'
import { inProcessTransport } from '../../src/events/in-process-transport.ts'
import { liveInboxes } from '../../src/events/live-inbox.ts'
import { liveRuns } from '../../src/events/live-run.ts'
import type { CommitPolicy } from '../../src/runtime/committer.ts'
import type { LeasePolicy } from '../../src/runtime/leases.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import { createHarness } from '../../src/runtime/create-harness.ts'
import type { PermissionDecision } from '../../src/domain/permission/permission.ts'
import type { PolicyRule } from '../../src/domain/permission/policy.ts'
import { isStreaming } from '../../src/domain/message/message.ts'
import type { ErrorProjector } from '../../src/runtime/run/project-error.ts'
import type { EnqueuePrompt, Harness } from '../../src/runtime/harness.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { ManualModels } from './manual-model.ts'
import { ManualTools } from './manual-tools.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export const caller = { principal: 'tester' }
/** The same, as the API knows him. */
export const tester: Principal = { id: caller.principal, role: 'ADMIN', scopes: ['*'] }
export const scopeId = 'default' as ScopeId

interface WorldOptions {
  readonly stores?: Stores
  readonly clock?: VirtualClock
  readonly limits?: Partial<Limits>
  readonly resolver?: ScopeResolver
  readonly errorProjector?: ErrorProjector
  readonly commits?: Partial<CommitPolicy>
  readonly policies?: readonly PolicyRule[]
  readonly subagents?: readonly SubagentDefinition[]
  readonly delegatedRunAdmission?: DelegatedRunAdmission
  /** `FAIL` unless a test says otherwise. */
  readonly recovery?: RecoveryPolicy
  readonly leases?: Partial<LeasePolicy>
}

/** A harness with everything around it in the hands of a test: time, the model, the stores, what is published. */
export class World {
  readonly clock: VirtualClock
  readonly stores: Stores
  readonly models = new ManualModels()
  /** None unless a test adds some. */
  readonly tools = new ManualTools()
  readonly signals: Signal[] = []
  readonly lines: LogLine[] = []
  readonly harness: Harness
  #ids = 0

  constructor({ stores, clock = virtualClock(), ...options }: WorldOptions = {}) {
    this.clock = clock
    this.stores = stores ?? memoryStores({ clock })
    const line = (level: LogLine['level']) => (fields: LogLine['fields'], message: string) => {
      this.lines.push({ level, fields, message })
    }
    const log = { info: line('info'), warn: line('warn'), error: line('error') }
    const transport = inProcessTransport({ log })
    transport.listen((signal) => this.signals.push(signal))
    const subscriptions = eventHub({ stores: this.stores, transport, clock, log })
    const life = Math.random().toString(36).slice(2, 8)
    this.harness = createHarness({
      recovery: 'FAIL',
      ...options,
      stores: this.stores,
      models: this.models,
      tools: this.tools,
      transport,
      subscriptions,
      liveRuns: liveRuns({ subscriptions, stores: this.stores, clock }),
      liveInboxes: liveInboxes({ subscriptions, stores: this.stores }),
      clock,
      ids: { uuid: () => `id-${life}-${++this.#ids}` },
      log,
      version: '0.0.0',
    })
  }

  static async started(options: WorldOptions = {}): Promise<World> {
    const world = new World(options)
    await world.harness.start()
    return world
  }

  async session(id = 's'): Promise<SessionId> {
    ok(await this.harness.createSession({ scopeId, sessionId: asSessionId(id) }, caller))
    return asSessionId(id)
  }

  enqueue(text: string, input: Partial<EnqueuePrompt> = {}) {
    return this.harness.enqueuePrompt({ scopeId, sessionId: asSessionId('s'), text, ...input }, caller)
  }

  /** Enqueues and lets everything happen that needs no time. */
  async prompt(text: string, input: Partial<EnqueuePrompt> = {}): Promise<EntrySnapshot> {
    const entry = ok(await this.enqueue(text, input))
    await this.clock.settle()
    return entry
  }

  cancel(queueId: QueueId) {
    return this.harness.cancelPrompt({ scopeId, sessionId: asSessionId('s'), queueId }, caller)
  }

  async abort() {
    const answer = ok(await this.harness.abortRun({ scopeId, sessionId: asSessionId('s') }, caller))
    await this.clock.settle()
    return answer
  }

  async abortIn(id: string): Promise<void> {
    ok(await this.harness.abortRun({ scopeId, sessionId: asSessionId(id) }, caller))
    await this.clock.settle()
  }

  async load(id = 's'): Promise<StoredSession> {
    const scope = await this.stores.scopes.find(asStorageKey(scopeId))
    const session = scope && (await this.stores.sessions.find(scope.key, asSessionId(id)))
    if (!session) throw new Error(`There is no session ${id}.`)
    return session
  }

  async entries(id = 's') {
    const { key } = await this.load(id)
    return (await this.stores.queue.views([key], 1000)).get(key) ?? []
  }

  async runs(id = 's') {
    const [runs = []] = await this.stores.runs.pages([{ sessionKey: (await this.load(id)).key, limit: 200 }])
    return runs.toReversed()
  }

  /** The texts of the session's messages: each a list of its parts' kind, status and text. */
  async conversation(id = 's') {
    const { key } = await this.load(id)
    const [messages = []] = await this.stores.messages.pages([{ sessionKey: key, take: 'first', limit: 200 }])
    const parts = await this.stores.messages.parts(messages.map(({ index }) => ({ sessionKey: key, index })))
    return messages.map(({ role, index }) => ({
      role,
      parts: parts
        .filter(({ messageIndex }) => messageIndex === index)
        .map(({ status, body }) => ({ kind: body.kind, status, text: isStreaming(body) ? body.text : '' })),
    }))
  }

  /** The tool calls of all runs, oldest first: id, status, and what came of it. */
  async calls(id = 's') {
    const { key } = await this.load(id)
    const [messages = []] = await this.stores.messages.pages([{ sessionKey: key, take: 'first', limit: 200 }])
    const parts = await this.stores.messages.parts(messages.map(({ index }) => ({ sessionKey: key, index })))
    return parts.flatMap(({ status, body }) =>
      body.kind === 'tool' ? [{ id: body.toolCallId, status, output: body.output, error: body.error, child: body.child }] : [],
    )
  }

  /** The requests of a session, oldest first. */
  async permissions(id = 's') {
    return (await this.stores.permissions.latest([(await this.load(id)).key], 200)).toReversed()
  }

  /** Answers the only request that waits, and lets happen what needs no time. */
  async respond(decision: PermissionDecision, message?: string) {
    const [waiting, ...others] = (await this.permissions()).filter(({ state }) => state.kind === 'pending')
    if (!waiting || others.length > 0) throw new Error('There is not one request that waits.')
    const { permissionId } = waiting
    const input = { scopeId, permissionId, decision, ...(message !== undefined && { message }) }
    const answer = await this.harness.respondToPermission(input, caller)
    await this.clock.settle()
    return answer
  }

  async events(): Promise<readonly HarnessEvent[]> {
    const scope = await this.stores.scopes.find(asStorageKey(scopeId))
    if (!scope) return []
    const events: HarnessEvent[] = []
    for (let after = 0; ; ) {
      const page = await this.stores.events.read({ scopeKey: scope.key, filter: {}, after, limit: 500 })
      events.push(...page.events)
      if (page.scannedTo === after) return events
      after = page.scannedTo
    }
  }

  async types(): Promise<readonly EventType[]> {
    return (await this.events()).map(({ body }) => body.type)
  }

  /** The deltas that were published, in order. */
  get deltas() {
    return this.signals.flatMap((signal) => (signal.type === 'delta' ? [signal.delta] : []))
  }
}

export function ok<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`Refused: ${answer.refusal.code} ${answer.refusal.message}`)
  return answer.value
}

export function refusal<T>(answer: Answer<T>): string {
  if (answer.ok) throw new Error('It was expected to be refused.')
  return answer.refusal.code
}
