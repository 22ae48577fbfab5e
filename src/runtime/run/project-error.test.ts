import { expect, test } from 'vitest'
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
