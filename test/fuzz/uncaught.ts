import { afterAll, beforeAll } from 'vitest'

/** Collects what nobody caught while the tests of this file run. It is expected to stay empty after every case. */
export function uncaughtErrors(): readonly unknown[] {
  const errors: unknown[] = []
  const note = (error: unknown): void => {
    errors.push(error)
  }
  beforeAll(() => {
    process.on('uncaughtException', note).on('unhandledRejection', note)
  })
  afterAll(() => {
    process.off('uncaughtException', note).off('unhandledRejection', note)
  })
  return errors
}
