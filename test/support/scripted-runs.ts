import type { Json } from '../../src/kernel/json.ts'
import { checkDelegation } from '../../src/domain/delegation/input.ts'
import type { SubagentDefinition } from '../../src/domain/delegation/definition.ts'
import type { LogEntry } from '../../src/domain/log/entry.ts'
import type { ToolResult } from '../../src/domain/tool/result.ts'
import type { ManualCall, ManualModels } from './manual-model.ts'

/** What a prompt says that its run does: first its calls, beside each other, then it answers. */
export interface Script {
  readonly delegate?: readonly Task[]
  /** Calls of other tools, each with its name as its input. */
  readonly call?: readonly string[]
  /** The answer; the results of the calls as JSON when absent. */
  readonly say?: string
  /** Waits with the answer, or before anything else, until a test says something. */
  readonly hang?: 'first' | 'last'
}

export interface Task {
  readonly to: string
  readonly script: Script
  readonly taskId?: string
}

export const agents: readonly SubagentDefinition[] = ['researcher', 'writer'].map((name) => ({
  name,
  description: `A good ${name}.`,
}))

export const textOf = (script: Script): string => JSON.stringify(script)

/** Lets the models do what the prompts say. */
export function followScripts(models: ManualModels): void {
  models.onCall = (call) => follow(call)
}

function follow(call: ManualCall): void {
  const { log } = call.call
  const from = log.findLastIndex(({ body }) => body.kind === 'input')
  const input = log[from]?.body
  const script = JSON.parse(input?.kind === 'input' ? input.text : '{}') as Script
  const since = log.slice(from + 1)
  const { delegate = [], call: tools = [], hang } = script
  if (since.some(({ body }) => body.kind === 'step') || delegate.length + tools.length === 0) {
    if (hang !== undefined) return
    call.answer(script.say ?? JSON.stringify(resultsOf(since)))
    return
  }
  if (hang === 'first') return
  delegate.forEach((task, i) => call.calls('delegate', inputOf(task), `d${i}`))
  for (const tool of tools) call.calls(tool, { tool }, tool)
  call.finish('continue')
}

export function inputOf({ to, script, taskId }: Task): Json {
  const input = { description: `a task for the ${to}`, prompt: textOf(script), subagentType: to, ...(taskId !== undefined && { taskId }) }
  if (!checkDelegation(input).ok) throw new Error('A script delegates only what can be delegated.')
  return input
}

const resultsOf = (log: readonly LogEntry[]): readonly ToolResult[] =>
  log.flatMap(({ body }) => (body.kind === 'result' ? [body.result] : []))
