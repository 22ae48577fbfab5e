import { asSchema, type Schema, type ToolExecutionOptions, type ToolSet } from 'ai'
import type { Json, JsonObject } from '../kernel/json.ts'
import type { CheckedInput, Tool, ToolCall } from '../ports/tools.ts'
import { inputProblem } from './input-problem.ts'

type AiTool = ToolSet[string]

/** What a tool of the SDK is given as its `context`: for whom it is called. */
export type SdkToolContext = Omit<ToolCall, 'toolCallId' | 'signal'>

type Execute = (input: unknown, options: ToolExecutionOptions<SdkToolContext>) => unknown

/**
 * A tool of the SDK as a tool of the harness. `metadata` says what the harness has to know: `readOnly`, `idempotent`,
 * `timeoutMs`; without it a tool is taken to change things, not to be called again, and to take as long as any.
 */
export class SdkTool implements Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly readOnly: boolean
  readonly idempotent: boolean
  readonly timeoutMs: number | null
  /** For calls of models. */
  readonly sdk: AiTool
  readonly #schema: Schema
  readonly #execute: Execute

  /** Made by `sdkTool`. */
  constructor(given: {
    readonly name: string
    readonly sdk: AiTool
    readonly schema: Schema
    readonly inputSchema: JsonObject
    readonly execute: Execute
  }) {
    const { readOnly, idempotent, timeoutMs } = given.sdk.metadata ?? {}
    this.name = given.name
    this.description = descriptionOf(given.sdk)
    this.inputSchema = given.inputSchema
    this.readOnly = readOnly === true
    this.idempotent = idempotent === true
    this.timeoutMs = typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : null
    this.sdk = given.sdk
    this.#schema = given.schema
    this.#execute = given.execute
  }

  async check(input: Json): Promise<CheckedInput> {
    if (!this.#schema.validate) return { ok: true, input }
    try {
      const checked = await this.#schema.validate(input)
      return checked.success
        ? { ok: true, input: checked.value }
        : { ok: false, message: inputProblem(checked.error) }
    } catch {
      // Such as a transformation of the application's own: its words are not for the model.
      return { ok: false, message: inputProblem(undefined) }
    }
  }

  /** Of a tool that returns several values, one after another, the last. */
  async execute(input: unknown, { toolCallId, signal, ...context }: ToolCall): Promise<unknown> {
    const returned = this.#execute(input, { toolCallId, messages: [], abortSignal: signal, context })
    if (!isAsyncIterable(returned)) return await returned
    let last: unknown
    for await (const value of returned) {
      signal.throwIfAborted()
      last = value
    }
    return last
  }
}

/** Rejects when the tool cannot be run by the harness, or its schema cannot be had. */
export async function sdkTool(name: string, sdk: AiTool): Promise<SdkTool> {
  const run = sdk.execute?.bind(sdk) as Execute | undefined
  if (!run) throw new TypeError(`The tool ${JSON.stringify(name)} has no function "execute" to run.`)
  const schema = asSchema<unknown>(sdk.inputSchema)
  const inputSchema = JSON.parse(JSON.stringify(await schema.jsonSchema)) as JsonObject
  return new SdkTool({ name, sdk, schema, inputSchema, execute: run })
}

/** One that depends on what a tool is called for is asked without that: a run's tools are described once. */
function descriptionOf({ description = '' }: AiTool): string {
  return typeof description === 'function' ? description({ context: undefined }) : description
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
