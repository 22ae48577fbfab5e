import type { Json } from '../../src/kernel/json.ts'
import { noUsage, type Usage } from '../../src/domain/run/usage.ts'
import type { Model, ModelResolver, StepCall, StepPart } from '../../src/ports/model.ts'
import type { ModelRequest } from '../../src/ports/model-request.ts'

/** A model call in the hands of a test, which says what the model says and when. */
export class ManualCall implements AsyncIterableIterator<StepPart> {
  readonly request: ModelRequest
  readonly call: StepCall
  readonly #parts: StepPart[] = []
  readonly #waiting: PromiseWithResolvers<IteratorResult<StepPart>>[] = []
  #end: { readonly error?: unknown } | undefined
  #wasReturned = false

  constructor(request: ModelRequest, call: StepCall) {
    this.request = request
    this.call = call
  }

  /** True when the harness has let go of the stream before its end. */
  get wasReturned(): boolean {
    return this.#wasReturned
  }

  say(...parts: readonly StepPart[]): this {
    this.#parts.push(...parts)
    return this.#serve()
  }

  start(kind: 'text' | 'reasoning' = 'text', block: string = kind): this {
    return this.say({ type: 'start', block, kind })
  }

  delta(text: string, block = 'text'): this {
    return this.say({ type: 'delta', block, text })
  }

  end(block = 'text'): this {
    return this.say({ type: 'end', block })
  }

  /** Asks for a call of a tool. */
  calls(toolName: string, input: Json, callId = 'call_0'): this {
    return this.say({ type: 'call', callId, toolName, input, problem: null })
  }

  /** Says `text` as a whole block and finishes. */
  answer(text: string): this {
    return this.start().delta(text).end().finish()
  }

  finish(reason: 'stop' | 'continue' = 'stop', usage: Partial<Usage> = {}): this {
    const total = { ...noUsage, inputTokens: 2, outputTokens: 3, totalTokens: 5, ...usage }
    this.say({ type: 'finish', reason, usage: total, output: [{ step: 'output' }] })
    return this.close()
  }

  fail(error: unknown): this {
    this.#end = { error }
    return this.#serve()
  }

  close(): this {
    this.#end ??= {}
    return this.#serve()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<StepPart>> {
    const waiting = Promise.withResolvers<IteratorResult<StepPart>>()
    this.#waiting.push(waiting)
    this.#serve()
    return waiting.promise
  }

  async return(): Promise<IteratorResult<StepPart>> {
    this.#wasReturned = true
    return { done: true, value: undefined }
  }

  #serve(): this {
    while (this.#waiting.length > 0 && (this.#parts.length > 0 || this.#end)) {
      const waiting = this.#waiting.shift()
      const value = this.#parts.shift()
      if (value) waiting?.resolve({ done: false, value })
      else if (this.#end && 'error' in this.#end) waiting?.reject(this.#end.error)
      else waiting?.resolve({ done: true, value: undefined })
    }
    return this
  }
}

/** Hands every model call to the test, in order. */
export class ManualModels implements ModelResolver {
  readonly known = [{ provider: 'test', id: 'manual' }]
  readonly requests: ModelRequest[] = []
  readonly calls: ManualCall[] = []
  /** What happens to a call as soon as it is made; nothing unless set. */
  onCall: ((call: ManualCall) => void) | undefined
  /** Stands in for the resolution when set. */
  onResolve: ((request: ModelRequest) => Promise<Model>) | undefined

  async resolve(request: ModelRequest): Promise<Model> {
    this.requests.push(request)
    if (this.onResolve) return this.onResolve(request)
    const [identity = { provider: 'test', id: 'manual' }] = this.known
    return {
      identity,
      stream: (call) => {
        const manual = new ManualCall(request, call)
        this.calls.push(manual)
        this.onCall?.(manual)
        return manual
      },
    }
  }

  /** The newest call. */
  get last(): ManualCall {
    const call = this.calls.at(-1)
    if (!call) throw new Error('The model has not been called.')
    return call
  }
}
