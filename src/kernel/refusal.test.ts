import { expect, test } from 'vitest'
import { done, invalid, no, notFound } from './refusal.ts'

test('an answer is a value or a refusal', () => {
  const refusal = notFound('session', 'a "b"')
  expect(done(7)).toEqual({ ok: true, value: 7 })
  expect(no(refusal)).toEqual({ ok: false, refusal })
})

test('K9: a refusal names the field or the thing it is about', () => {
  expect(invalid(['input', 'attachments', 0, 'url'], 'must not be empty')).toEqual({
    code: 'VALIDATION_FAILED',
    message: 'input.attachments.0.url: must not be empty',
    issues: [{ path: ['input', 'attachments', 0, 'url'], message: 'must not be empty' }],
  })
  expect(notFound('session', 'a "b"\n')).toEqual({
    code: 'NOT_FOUND',
    message: 'There is no session "a \\"b\\"\\n" here.',
  })
})
