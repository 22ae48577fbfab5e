import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import { asQueueId, asScopeId, asSessionId, asStorageKey, type QueueId } from '../../src/kernel/ids.ts'
import type { Answer } from '../../src/kernel/refusal.ts'
import type { EnqueuePrompt } from '../../src/runtime/harness.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { readSession, type SessionState } from '../simulation/session-state.ts'
import { heldStores } from '../support/held-stores.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, World } from '../support/world.ts'
import type { SessionName } from './expectation.ts'

const scopeId = asScopeId('model')
export const MAX_OUTSTANDING = 5

/** The harness that is compared with the reference model: in a scope of its own, on stores that others may use too. */
export class Subject {
  readonly clock = virtualClock()
  readonly stores: Stores
  readonly #storageKey: string
  #world: World
  /** What was acknowledged of each prompt, by its text. */
  readonly entries = new Map<string, EntrySnapshot>()
  readonly inputs = new Map<string, EnqueuePrompt>()
  /** Everything that was answered, in order. */
  readonly answers: unknown[] = []

  constructor(stores: Stores, storageKey: string) {
    this.#storageKey = storageKey
    this.stores = heldStores(stores, this.clock)
    this.#world = this.#newWorld()
  }

  /** Begins, with two sessions. */
  async open(): Promise<void> {
    await this.#started()
    for (const name of ['a', 'b'] as const) await this.create(name)
  }

  create(name: SessionName) {
    const input = { scopeId, sessionId: asSessionId(name), clientRequestId: `create ${name}` }
    return this.#answered(this.#world.harness.createSession(input, caller))
  }

  /** The same id again, as a request of its own. */
  createAgain(name: SessionName) {
    return this.#answered(this.#world.harness.createSession({ scopeId, sessionId: asSessionId(name) }, caller))
  }

  async enqueue(name: SessionName, text: string, input: Partial<EnqueuePrompt> = {}): Promise<Answer<EntrySnapshot>> {
    const whole = { scopeId, sessionId: asSessionId(name), text, ...input }
    this.inputs.set(text, whole)
    return this.#answered(this.#world.harness.enqueuePrompt(whole, caller))
  }

  repeat(text: string): Promise<Answer<EntrySnapshot>> {
    return this.#answered(this.#world.harness.enqueuePrompt(this.inputs.get(text)!, caller))
  }

  cancel(name: SessionName, queueId: string) {
    const input = { scopeId, sessionId: asSessionId(name), queueId: asQueueId(queueId) }
    return this.#answered(this.#world.harness.cancelPrompt(input, caller))
  }

  abort(name: SessionName) {
    return this.#answered(this.#world.harness.abortRun({ scopeId, sessionId: asSessionId(name) }, caller))
  }

  /** The newest model call of a session in this process. */
  call(name: SessionName): ManualCall {
    const call = this.#world.models.calls.findLast(({ request }) => request.sessionId === name)
    if (!call) throw new Error(`The session ${name} has not called its model.`)
    return call
  }

  /** From now on every model call is answered at once. */
  beBrief(): void {
    this.#world.models.onCall = (call) => call.answer('rest')
  }

  /** Stops the process and starts another one. */
  async restart(how: 'stopped' | 'killed'): Promise<void> {
    const closing = how === 'stopped' ? this.#world.harness.close({ graceMs: 0 }) : undefined
    await this.clock.advance(1)
    await closing
    this.#world = this.#newWorld()
    await this.#started()
  }

  async state(name: SessionName): Promise<SessionState> {
    const scope = await this.stores.scopes.find(asStorageKey(this.#storageKey))
    const session = scope && (await this.stores.sessions.find(scope.key, asSessionId(name)))
    if (!session) throw new Error(`There is no session ${name}.`)
    return readSession(this.stores, session.key)
  }

  async events() {
    const scope = await this.stores.scopes.find(asStorageKey(this.#storageKey))
    if (!scope) return []
    const { events } = await this.stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 1_000 })
    return events
  }

  queueIdOf(text: string): QueueId | undefined {
    return this.entries.get(text)?.queueId
  }

  #newWorld(): World {
    const resolver = { resolve: async () => ({ storageKey: asStorageKey(this.#storageKey), context: undefined }) }
    const { clock, stores } = this
    return new World({ stores, clock, resolver, limits: { maxOutstandingPromptsPerSession: MAX_OUTSTANDING } })
  }

  async #started(): Promise<void> {
    const started = this.#world.harness.start()
    await this.clock.settle()
    await started
  }

  async #answered<T>(asked: Promise<T>): Promise<T> {
    const answer = await asked
    this.answers.push(answer)
    await this.clock.settle()
    return answer
  }
}
