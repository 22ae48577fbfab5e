import { isStreaming } from '../../src/domain/message/message.ts'
import type { ModelsConfig, ProviderConfig } from '../../src/agent/models-config.ts'
import { modelRegistry } from '../../src/agent/registry.ts'
import type { PromptOptions } from '../../src/domain/prompt/prompt.ts'
import { isLive, type Run } from '../../src/domain/run/run.ts'
import { eventHub } from '../../src/events/event-hub.ts'
import { inProcessTransport } from '../../src/events/in-process-transport.ts'
import { liveInboxes } from '../../src/events/live-inbox.ts'
import { liveRuns } from '../../src/events/live-run.ts'
import { asSessionId, asStorageKey, type RunId, type ScopeId, type SessionKey } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { EventTransport } from '../../src/ports/event-transport.ts'
import { createHarness } from '../../src/runtime/create-harness.ts'
import type { Harness } from '../../src/runtime/harness.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { systemIds } from '../../src/runtime/system-ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type LogLine, ok } from '../support/world.ts'
import { type HandDrivenClock, handDrivenClock } from './hand-driven-clock.ts'

const scopeId = 'default' as ScopeId
const sessionId = asSessionId('s')
const caller = { principal: 'tester' }

/** How a run ended, as clients see it. */
export interface Ended {
  readonly status: string
  readonly error: unknown
  /** Kind, status and text of each part of the answer. */
  readonly parts: readonly (readonly [kind: string, status: string, text: string])[]
  readonly usage: Run['usage']
}

/** A session of a whole harness on memory stores, whose models are those of a configuration. */
export class Conversation implements AsyncDisposable {
  /** The clock of the models. That of the harness is the system's. */
  readonly clock: HandDrivenClock = handDrivenClock()
  readonly lines: LogLine[] = []
  readonly #stores: Stores = memoryStores({ clock: systemClock })
  readonly #transport: EventTransport
  readonly #harness: Harness

  constructor(models: ModelsConfig) {
    const line = (level: LogLine['level']) => (fields: LogLine['fields'], message: string) => {
      this.lines.push({ level, fields, message })
    }
    const log = { info: line('info'), warn: line('warn'), error: line('error') }
    const [stores, clock] = [this.#stores, systemClock]
    const transport = inProcessTransport({ log })
    const subscriptions = eventHub({ stores, transport, clock, log })
    this.#transport = transport
    this.#harness = createHarness({
      stores,
      models: modelRegistry(models, this.clock),
      transport,
      subscriptions,
      liveRuns: liveRuns({ subscriptions, stores, clock }),
      liveInboxes: liveInboxes({ subscriptions, stores }),
      clock,
      ids: systemIds,
      log,
      version: '0.0.0',
    })
  }

  /** With one provider, `p`, and its model as the default. */
  static async with(config: ProviderConfig, modelId: string): Promise<Conversation> {
    const conversation = new Conversation({ default: `p:${modelId}`, providers: { p: config } })
    await conversation.#harness.start()
    ok(await conversation.#harness.createSession({ scopeId, sessionId }, caller))
    return conversation
  }

  async enqueue(text: string, options: Partial<PromptOptions> = {}): Promise<void> {
    ok(await this.#harness.enqueuePrompt({ scopeId, sessionId, text, options }, caller))
  }

  /** Enqueues and waits for the end of the run. */
  async prompt(text: string, options: Partial<PromptOptions> = {}): Promise<Ended> {
    const before = (await this.#runs()).length
    await this.enqueue(text, options)
    return this.ended(before)
  }

  /** The run with this index, once it has ended. */
  async ended(index: number): Promise<Ended> {
    const run = await this.#once(async () => {
      const found = (await this.#runs())[index]
      return found && !isLive(found) ? found : undefined
    })
    const outcome = run.state.kind === 'finished' ? run.state.outcome : undefined
    return {
      status: outcome?.status ?? '',
      error: outcome && 'error' in outcome ? outcome.error : null,
      parts: await this.#parts(run),
      usage: run.usage,
    }
  }

  /** Once the run streams and this much of its answer has been published. */
  async heard(text: string): Promise<void> {
    const heard: string[] = []
    await this.#once(
      async () => (heard.join('').includes(text) ? true : undefined),
      (delta) => heard.push(delta),
    )
  }

  async abort(): Promise<RunId | null> {
    return ok(await this.#harness.abortRun({ scopeId, sessionId }, caller))
  }

  /** Everything that is stored, as text. */
  async stored(): Promise<string> {
    const key = await this.#key()
    const scope = await this.#stores.scopes.find(asStorageKey(scopeId))
    const messages = (await this.#stores.messages.pages([{ sessionKey: key, take: 'first', limit: 200 }]))[0] ?? []
    return JSON.stringify([
      await this.#runs(),
      messages,
      await this.#stores.messages.parts(messages.map(({ index }) => ({ sessionKey: key, index }))),
      await this.#stores.log.read(key, 0, 500),
      (await this.#stores.queue.views([key], 100)).get(key),
      scope && (await this.#stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 500 })),
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#harness.close({ graceMs: 0 })
  }

  async #key(): Promise<SessionKey> {
    const scope = await this.#stores.scopes.find(asStorageKey(scopeId))
    const session = scope && (await this.#stores.sessions.find(scope.key, sessionId))
    if (!session) throw new Error('There is no session.')
    return session.key
  }

  async #runs(): Promise<readonly Run[]> {
    const [runs = []] = await this.#stores.runs.pages([{ sessionKey: await this.#key(), limit: 200 }])
    return runs.toReversed()
  }

  async #parts({ sessionKey, assistantMessageIndex: index }: Run): Promise<Ended['parts']> {
    const parts = await this.#stores.messages.parts([{ sessionKey, index }])
    return parts.map(({ status, body }) => [body.kind, status, isStreaming(body) ? body.text : ''] as const)
  }

  /** Looks now and after each signal of the harness until there is something. */
  async #once<T>(look: () => Promise<T | undefined>, onDelta?: (delta: string) => void): Promise<T> {
    let changed = Promise.withResolvers<void>()
    const stop = this.#transport.listen((signal) => {
      if (signal.type === 'delta') onDelta?.(signal.delta.delta)
      changed.resolve()
    })
    try {
      for (;;) {
        changed = Promise.withResolvers<void>()
        const found = await look()
        if (found !== undefined) return found
        await changed.promise
      }
    } finally {
      stop()
    }
  }
}
