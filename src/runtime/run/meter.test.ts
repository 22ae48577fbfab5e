import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { Meter, type Metered } from './meter.ts'

const unlimited: Metered = { budget: null, before: { totalTokens: 0, workedMs: 0 }, above: null }
const limited = (totalTokens: number | null, wallClockMs: number | null) => ({ totalTokens, wallClockMs, idleMs: null })

test('R105: the time of a run goes while it works, on from what it had worked', async () => {
  const clock = virtualClock()
  const meter = new Meter(clock, { ...unlimited, before: { totalTokens: 3, workedMs: 40 } })
  await clock.advance(100)
  meter.start()
  await clock.advance(5)
  expect(meter.spent.workedMs).toBe(45)
  meter.stop()
  await clock.advance(100)
  meter.start()
  await clock.advance(1.5)
  expect(meter.spent).toEqual({ totalTokens: 3, workedMs: 46 })
})

test('R110: what a run delegates is its own: tokens add up, and what goes on at the same time counts once', async () => {
  const clock = virtualClock()
  const parent = new Meter(clock, unlimited)
  const [one, other] = [new Meter(clock, { ...unlimited, above: parent }), new Meter(clock, { ...unlimited, above: parent })]
  const below = new Meter(clock, { ...unlimited, above: one })
  one.start()
  await clock.advance(10)
  other.start()
  await clock.advance(10)
  one.stop()
  below.start()
  await clock.advance(10)
  other.stop()
  below.stop()
  await clock.advance(10)
  expect([parent, one, other, below].map(({ spent }) => spent.workedMs)).toEqual([30, 30, 20, 10])
  for (const meter of [below, one, other, parent]) meter.use(1)
  expect([parent, one, other, below].map(({ spent }) => spent.totalTokens)).toEqual([4, 2, 1, 1])
})

test('R110: a run ends for its own budget first, then for the nearest one above it', async () => {
  const clock = virtualClock()
  const top = new Meter(clock, { ...unlimited, budget: limited(20, null) })
  const middle = new Meter(clock, { ...unlimited, budget: limited(null, 30), above: top })
  const bottom = new Meter(clock, { ...unlimited, budget: limited(10, null), above: middle })
  const ends = () => [bottom, middle, top].map(({ end }) => (end?.status === 'FAILED' ? end.error.message : 'goes on'))
  bottom.use(9)
  expect(ends()).toEqual(['goes on', 'goes on', 'goes on'])
  bottom.use(1)
  expect(ends()).toEqual(['The run used 10 of its 10 tokens.', 'goes on', 'goes on'])
  middle.use(10)
  middle.start()
  await clock.advance(30)
  expect(ends()).toEqual([
    'The run used 10 of its 10 tokens.',
    'The run worked for 30 of its 30 ms.',
    'The run used 20 of its 20 tokens.',
  ])
  const other = new Meter(clock, { ...unlimited, above: middle })
  expect(other.end).toMatchObject({ error: { message: 'The run that delegated to this one worked for 30 of its 30 ms.' } })
})
