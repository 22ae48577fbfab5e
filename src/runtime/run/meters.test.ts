import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { asRunId } from '../../kernel/ids.ts'
import { Meters } from './meters.ts'

const unlimited = { budget: null, before: { totalTokens: 0, workedMs: 0 } }
const [parent, child] = [asRunId('parent'), asRunId('child')]

test('R110: a run that was delegated spends of the one that has delegated to it, while that is executed here', () => {
  const meters = new Meters(virtualClock())
  const above = meters.open(parent, null, unlimited)
  const below = meters.open(child, parent, unlimited)
  below.use(5)
  meters.close(child, below)
  meters.close(parent, above)
  meters.open(child, parent, unlimited).use(7)
  expect(above.spent.totalTokens).toBe(5)
})

test('R110: a run that has come back is not forgotten when its attempt before that is', () => {
  const meters = new Meters(virtualClock())
  const before = meters.open(parent, null, unlimited)
  const after = meters.open(parent, null, unlimited)
  meters.close(parent, before)
  meters.open(child, parent, unlimited).use(5)
  expect([before, after].map(({ spent }) => spent.totalTokens)).toEqual([0, 5])
})
