import { expect, test } from 'vitest'
import { utf8Length } from '../../kernel/text.ts'
import { MAX_ERROR_CODE_BYTES, MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import type { ErrorView } from '../run/outcome.ts'
import {
  deniedBecause,
  foundNotExecuted,
  invalidInput,
  notExecuted,
  outcomeUnknown,
  stopped,
  timedOut,
  type ToolResult,
} from './result.ts'

const of = (code: string, message: string): ErrorView => ({ code, message, source: 'harness' })

const said: readonly (readonly [ToolResult, ToolResult['status'], ErrorView])[] = [
  [notExecuted, 'CANCELLED', of('NOT_EXECUTED', 'The call was not executed, because the run ended before.')],
  [foundNotExecuted, 'CANCELLED', of('NOT_EXECUTED', 'The call was not executed.')],
  [stopped, 'FAILED', of('ABORTED', 'The call was stopped with its run.')],
  [outcomeUnknown, 'UNCERTAIN', of('OUTCOME_UNKNOWN', 'The outcome is unknown: it may have happened.')],
  [deniedBecause('Not now.'), 'FAILED', of('PERMISSION_DENIED', 'Not now.')],
  [invalidInput('No path.'), 'FAILED', of('VALIDATION_FAILED', 'No path.')],
  [timedOut(120_000), 'FAILED', of('TOOL_TIMEOUT', 'The call was stopped after 120000 ms.')],
]

test.each(said)('T11: what the harness says of a call that did not answer: %o', (result, status, error) => {
  expect(result).toEqual({ status, error })
  expect(utf8Length(error.code)).toBeLessThanOrEqual(MAX_ERROR_CODE_BYTES)
  expect(utf8Length(error.message)).toBeLessThanOrEqual(MAX_ERROR_MESSAGE_BYTES)
})
