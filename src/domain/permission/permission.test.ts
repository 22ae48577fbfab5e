import { expect, test } from 'vitest'
import { isAllowed, type PermissionOutcome } from './permission.ts'

const allowed: Record<PermissionOutcome, boolean> = {
  ONCE: true,
  ALWAYS: true,
  GRANTED_BEFORE: true,
  REJECT: false,
  CANCELLED: false,
}

test.each(Object.entries(allowed))('P11: after %s a run may go on with what it asked for: %s', (decision, may) => {
  expect(isAllowed({ decision: decision as PermissionOutcome, message: null, by: null, at: 1 })).toBe(may)
})
