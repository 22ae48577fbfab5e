import type { ToolModelMessage, ToolResultPart } from 'ai'
import type { LogEntry } from '../domain/log/entry.ts'
import { notExecuted, outcomeUnknown, type ToolResult } from '../domain/tool/result.ts'
import type { RunId } from '../kernel/ids.ts'
import type { ResponseMessage } from './step-output.ts'

/** Finds the results of tool calls in an agent log. */
export class ToolResults {
  readonly #results = new Map<string, ToolResult>()
  readonly #begun = new Set<string>()

  constructor(log: readonly LogEntry[]) {
    for (const { runId, body } of log) {
      if (body.kind === 'result') this.#results.set(keyOf(runId, body.toolCallId), body.result)
      if (body.kind === 'intent') this.#begun.add(keyOf(runId, body.toolCallId))
    }
  }

  /**
   * What follows the messages of a step: one message with exactly one result for each call in them, in their order.
   * `ids` are those of the calls in the run. A call without a result in the log gets one that says what is known.
   */
  after(messages: readonly ResponseMessage[], { runId, ids }: { readonly runId: RunId; readonly ids: readonly string[] }) {
    const content = messages.flatMap(callsIn).map((call, i): ToolResultPart => {
      const { toolCallId, toolName } = call
      const result = this.#resultOf(keyOf(runId, ids[i] ?? ''))
      return { type: 'tool-result', toolCallId, toolName, output: outputOf(result) }
    })
    return content.length === 0 ? [] : [{ role: 'tool', content } satisfies ToolModelMessage]
  }

  #resultOf(key: string): ToolResult {
    return this.#results.get(key) ?? (this.#begun.has(key) ? outcomeUnknown : notExecuted)
  }
}

const keyOf = (runId: RunId, toolCallId: string): string => `${runId} ${toolCallId}`

/** Calls that the provider executed itself have their results in its own messages. */
const callsIn = ({ content }: ResponseMessage) =>
  typeof content === 'string'
    ? []
    : content.filter((part) => part.type === 'tool-call').filter(({ providerExecuted }) => providerExecuted !== true)

function outputOf(result: ToolResult): ToolResultPart['output'] {
  if (result.status !== 'COMPLETED') return { type: 'error-text', value: result.error.message }
  const { output } = result
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: mutable(output) }
}

type SdkJson = Extract<ToolResultPart['output'], { type: 'json' }>['value']

/** The SDK's type of JSON is not read-only. */
const mutable = (value: unknown): SdkJson => value as SdkJson
