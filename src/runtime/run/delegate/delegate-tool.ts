import type { SubagentDefinition } from '../../../domain/delegation/definition.ts'
import { DELEGATE, delegateInputSchema } from '../../../domain/delegation/input.ts'
import type { Tool } from '../../../ports/tools.ts'

/** What models are told of delegating. The harness itself executes its calls. */
export function delegateTool(definitions: readonly SubagentDefinition[]): Tool {
  return {
    name: DELEGATE,
    description: [
      'Delegates a task to a subagent and waits for its answer. The subagent sees nothing of this conversation: its prompt ' +
        'must hold everything that it needs. Calls of one step are executed beside each other.',
      'Omit taskId to start a new child. Use a taskId only if an earlier, completed call returned it, and only in a later ' +
        'run: then that child goes on with what it knows.',
      'Subagents:',
      ...definitions.map(({ name, description }) => `- ${name}: ${description}`),
    ].join('\n'),
    inputSchema: delegateInputSchema,
    readOnly: false,
    idempotent: false,
    timeoutMs: null,
    check: async (input) => ({ ok: true, input }),
    execute: async () => Promise.reject(new Error('The harness executes calls of delegate itself.')),
  }
}
