import { asSchema, type Tool } from 'ai'

/** Calls a tool of the SDK as it would be called for a model: its input is checked, its output made JSON. */
export async function called(tool: Tool, input: unknown, signal = new AbortController().signal): Promise<unknown> {
  const checked = await asSchema(tool.inputSchema).validate?.(input)
  if (checked?.success !== true) throw checked?.error ?? new Error('The tool checks no input.')
  const execute = tool.execute as (input: unknown, options: object) => Promise<unknown>
  const output = await execute(checked.value, { toolCallId: 'call', messages: [], abortSignal: signal, context: {} })
  return JSON.parse(JSON.stringify(output)) as unknown
}
