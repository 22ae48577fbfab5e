import { expect, test } from 'vitest'
import { Fault } from './fault.ts'

test('a fault says whose code failed and keeps the cause', () => {
  const cause = new Error('the disk is full')
  const fault = new Fault('store', 'The commit failed.', cause)
  expect(fault).toBeInstanceOf(Error)
  expect(fault).toMatchObject({ name: 'Fault', source: 'store', message: 'The commit failed.', cause })
})
