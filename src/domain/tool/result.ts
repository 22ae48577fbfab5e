import type { Json } from '../../kernel/json.ts'
import type { ErrorView } from '../run/outcome.ts'

/** How a tool call ended. Every call has exactly one. */
export type ToolResult =
  | { readonly status: 'COMPLETED'; readonly output: Json }
  /** It failed, or was denied. */
  | { readonly status: 'FAILED'; readonly error: ErrorView }
  /** It did not run, or what it did has no effect. */
  | { readonly status: 'CANCELLED'; readonly error: ErrorView }
  /** It was begun, and nobody knows how it ended. */
  | { readonly status: 'UNCERTAIN'; readonly error: ErrorView }

const harnessError = (code: string, message: string): ErrorView => ({ code, message, source: 'harness' })

/** It never began, or has no effects and its answer came too late for its run. */
export const notExecuted: ToolResult = {
  status: 'CANCELLED',
  error: harnessError('NOT_EXECUTED', 'The call was not executed, because the run ended before.'),
}

/** A person found out that it never happened. */
export const foundNotExecuted: ToolResult = {
  status: 'CANCELLED',
  error: harnessError('NOT_EXECUTED', 'The call was not executed.'),
}

/** Its child was stopped, and did not end before its run did. */
export const childStopped: ToolResult = {
  status: 'CANCELLED',
  error: harnessError('SUBAGENT_CANCELLED', 'The subagent was stopped with the run that delegated to it.'),
}

export const outcomeUnknown: ToolResult = {
  status: 'UNCERTAIN',
  error: harnessError('OUTCOME_UNKNOWN', 'The outcome is unknown: it may have happened.'),
}

export const deniedBecause = (message: string): ToolResult => ({
  status: 'FAILED',
  error: harnessError('PERMISSION_DENIED', message),
})

export const invalidInput = (message: string): ToolResult => ({
  status: 'FAILED',
  error: harnessError('VALIDATION_FAILED', message),
})

/** It obeyed when its run was told to stop. */
export const stopped: ToolResult = {
  status: 'FAILED',
  error: harnessError('ABORTED', 'The call was stopped with its run.'),
}

export const timedOut = (ms: number): ToolResult => ({
  status: 'FAILED',
  error: harnessError('TOOL_TIMEOUT', `The call was stopped after ${ms} ms.`),
})
