import { type ToolExecutionOptions, tool, type ToolSet } from 'ai'
import { z } from 'zod'
import type { SdkToolContext } from '../../src/agent/sdk-tool.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import type { Effect } from './journal.ts'

const input = z.object({ ms: z.number() })

/**
 * Tools whose calls can be counted from outside of the database: each notes that it was executed, and then takes its time.
 * What is done cannot be stopped any more, so they do not hear of aborts.
 * `charge` and `pay` must never be executed twice for one call; people are asked for `pay`.
 */
export function countingTools(note: (effect: Effect) => void): ToolSet {
  const counting = (name: string, metadata: { readonly readOnly?: boolean; readonly idempotent?: boolean }) =>
    tool({
      description: `Notes that ${name} was executed.`,
      inputSchema: input,
      metadata,
      execute: async ({ ms }, { toolCallId, context }: ToolExecutionOptions<SdkToolContext>) => {
        note({ tool: name, runId: context.runId, toolCallId })
        await systemClock.sleep(ms)
        return { done: name }
      },
    })
  return {
    charge: counting('charge', {}),
    pay: counting('pay', {}),
    put: counting('put', { idempotent: true }),
    look: counting('look', { readOnly: true }),
  }
}

/** Of which a call is never executed twice. */
export const isOnce = (toolName: string): boolean => toolName === 'charge' || toolName === 'pay'
