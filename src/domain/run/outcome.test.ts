import { expect, test } from 'vitest'
import { completed, failed } from '../../../test/support/content.ts'
import { asSessionId } from '../../kernel/ids.ts'
import { utf8Length } from '../../kernel/text.ts'
import { MAX_ERROR_CODE_BYTES, MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import { damaged, errorOf, fencedOff, interrupted, outOfSteps, overflowed } from './outcome.ts'

test('R13: a run that the harness ends fails with a code that says why, and the limit when there is one', () => {
  const because = (code: string, message: string) => ({ status: 'FAILED', error: { code, message, source: 'harness' } })
  expect(overflowed('parts', 1000)).toEqual(because('CALLBACK_OVERFLOW', 'The run produced more than 1000 parts.'))
  expect(outOfSteps(32)).toEqual(because('BUDGET_EXCEEDED', 'The run used all of its 32 steps.'))
  expect(interrupted).toEqual(because('INTERRUPTED', 'The process stopped before this run completed.'))
  expect(fencedOff('The scope was fenced.')).toEqual(because('INTERRUPTED', 'The scope was fenced.'))
})

test('R13: the errors that the harness makes fit into the limits of errors', () => {
  for (const outcome of [overflowed('bytes of reasoning', 2 ** 53), outOfSteps(2 ** 53), interrupted, damaged(asSessionId('"'.repeat(512)), 'a session above it is not there')]) {
    const { code, message } = errorOf(outcome) ?? failed.error
    expect(utf8Length(code)).toBeLessThanOrEqual(MAX_ERROR_CODE_BYTES)
    expect(utf8Length(message)).toBeLessThanOrEqual(MAX_ERROR_MESSAGE_BYTES)
  }
})

test('R13: only a run that did not complete has an error', () => {
  expect([errorOf(completed), errorOf(failed), errorOf({ ...failed, status: 'CANCELLED' })]).toEqual([
    null,
    failed.error,
    failed.error,
  ])
})
