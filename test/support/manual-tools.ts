import type { Tool, ToolCall, ToolHandle, ToolProvider, ToolRequest } from '../../src/ports/tools.ts'

/** An execution in the hands of a test. */
export class ManualExecution {
  readonly input: unknown
  readonly call: ToolCall
  readonly #result = Promise.withResolvers<unknown>()

  constructor(input: unknown, call: ToolCall) {
    this.input = input
    this.call = call
  }

  get result(): Promise<unknown> {
    return this.#result.promise
  }

  answer(output: unknown): void {
    this.#result.resolve(output)
  }

  fail(error: unknown): void {
    this.#result.reject(error)
  }
}

/** Tools in the hands of a test: it says which there are, and what each execution answers and when. */
export class ManualTools implements ToolProvider {
  readonly requests: ToolRequest[] = []
  readonly executions: ManualExecution[] = []
  releases = 0
  /** Stands in for the answer to a request when set. */
  onProvide: ((request: ToolRequest) => Promise<ToolHandle>) | undefined
  /** What a release does besides being counted. */
  onRelease: (() => Promise<void>) | undefined
  readonly #tools: Tool[] = []

  /** Adds a tool that changes something and takes any input. */
  add(name: string, fields: Partial<Tool> = {}): this {
    this.#tools.push({
      name,
      description: `The tool ${name}.`,
      inputSchema: { type: 'object' },
      readOnly: false,
      idempotent: false,
      timeoutMs: null,
      check: async (input) => ({ ok: true, input }),
      execute: (input, call) => {
        const execution = new ManualExecution(input, call)
        this.executions.push(execution)
        return execution.result
      },
      ...fields,
    })
    return this
  }

  /** The newest execution. */
  get last(): ManualExecution {
    const execution = this.executions.at(-1)
    if (!execution) throw new Error('No tool has been executed.')
    return execution
  }

  async provide(request: ToolRequest): Promise<ToolHandle> {
    this.requests.push(request)
    if (this.onProvide) return this.onProvide(request)
    return { tools: this.#tools, release: () => this.release() }
  }

  async release(): Promise<void> {
    this.releases++
    await this.onRelease?.()
  }
}
