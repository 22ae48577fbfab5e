import { expect, test } from 'vitest'
import { admissionError } from './admission-error.ts'
import { checkedLease } from './checked-lease.ts'

test('G82: of a refusal only what the application says is shown', () => {
  const error = new Error('the secret is 42')
  const source = 'delegatedRunAdmission'
  expect(admissionError(error)).toEqual({ code: 'ADMISSION_FAILED', message: 'The delegated run was not admitted.', source })
  const projector = (_: unknown, from: string) => ({ code: 'QUOTA', message: `Come back tomorrow, says ${from}.` })
  expect(admissionError(error, projector)).toEqual({
    code: 'QUOTA',
    message: 'Come back tomorrow, says delegatedRunAdmission.',
    source,
  })
})

test('G82: an invalid lease is a validation error that says what is missing, whatever the application says', () => {
  const projector = () => ({ code: 'QUOTA', message: 'no' })
  let error: unknown
  try {
    checkedLease(undefined)
  } catch (thrown) {
    error = thrown
  }
  expect(admissionError(error, projector)).toEqual({
    code: 'VALIDATION_FAILED',
    message: 'delegatedRunAdmission.acquire: return a lease, which is an object with a function "close".',
    source: 'delegatedRunAdmission',
  })
})
