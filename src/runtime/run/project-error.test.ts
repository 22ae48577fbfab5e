import { expect, test } from 'vitest'
import { UnknownModelError } from '../../ports/unknown-model-error.ts'
import { InvalidLease } from '../admission/checked-lease.ts'
import { projectError } from './project-error.ts'

const secret = Object.assign(new Error('connect https://user:secret@host failed at /home/me/x.ts'), { code: 'E_SECRET' })

test('R47: without a projector only a generic text is shown, whatever the error carries', () => {
  expect(projectError(secret, 'model')).toEqual({
    code: 'MODEL_FAILED',
    message: 'The model call failed.',
    source: 'model',
  })
  expect(projectError(secret, 'store').message).toBe('The store failed.')
})

test('R47: what a projector says is cut to the limits at a code point', () => {
  const shown = projectError(secret, 'model', () => ({ code: 'é'.repeat(100), message: '🎉'.repeat(1000) }))
  expect(shown).toEqual({ code: 'é'.repeat(64), message: '🎉'.repeat(512), source: 'model' })
})

test('R47: a projector that throws, or gives no texts, is passed over', () => {
  const throwing = () => {
    throw secret
  }
  expect(projectError(secret, 'model', throwing).code).toBe('MODEL_FAILED')
  const wrong = (() => ({ code: 1, message: secret })) as never
  expect(projectError(secret, 'model', wrong).code).toBe('MODEL_FAILED')
  expect(projectError(secret, 'model', () => undefined).code).toBe('MODEL_FAILED')
})

test('R47: what a resolver says of a model that there is not is shown, by the class of the error and nothing else', () => {
  const unknown = new UnknownModelError('There is no model "x:y". There are: offline.')
  expect(projectError(unknown, 'modelResolver')).toEqual({
    code: 'MODEL_UNAVAILABLE',
    message: unknown.message,
    source: 'modelResolver',
  })
  expect(projectError(new UnknownModelError('🎉'.repeat(1000)), 'modelResolver').message).toBe('🎉'.repeat(512))

  const generic = 'The model could not be resolved.'
  const lookalike = Object.assign(new Error(unknown.message), { name: unknown.name })
  expect(projectError(lookalike, 'modelResolver').message).toBe(generic)
  expect(projectError(new Error('wrapped', { cause: unknown }), 'modelResolver').message).toBe(generic)
  expect(projectError(unknown, 'model').message).toBe('The model call failed.')
  const hiding = () => ({ code: 'NO', message: 'No.' })
  expect(projectError(unknown, 'modelResolver', hiding)).toMatchObject({ code: 'NO', message: 'No.' })
})

test('G82: of a refusal to admit a delegated run only what the application says is shown', () => {
  const source = 'delegatedRunAdmission'
  const message = 'The admission of the delegated run failed.'
  expect(projectError(secret, source)).toEqual({ code: 'ADMISSION_FAILED', message, source })
  const projector = (_: unknown, from: string) => ({ code: 'QUOTA', message: `Come back tomorrow, says ${from}.` })
  expect(projectError(secret, source, projector)).toEqual({
    code: 'QUOTA',
    message: 'Come back tomorrow, says delegatedRunAdmission.',
    source,
  })
})

test('G82: that a lease is invalid is shown as it is, by the class of the error and whatever the application says', () => {
  const invalid = new InvalidLease('Return a lease.')
  const projector = () => ({ code: 'NO', message: 'No.' })
  expect(projectError(invalid, 'delegatedRunAdmission', projector)).toEqual({
    code: 'VALIDATION_FAILED',
    message: 'Return a lease.',
    source: 'delegatedRunAdmission',
  })
})
