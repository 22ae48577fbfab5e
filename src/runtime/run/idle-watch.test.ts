import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { IdleWatch } from './idle-watch.ts'

function watching(idleMs: number | null) {
  const clock = virtualClock()
  const silences: number[] = []
  const watch = new IdleWatch({ clock, idleMs, onSilent: (ms) => silences.push(ms) })
  return { clock, watch, silences }
}

test('R106: it calls back once, when there was no word for so long', async () => {
  const { clock, watch, silences } = watching(100)
  await clock.advance(500)
  watch.start()
  await clock.advance(60)
  watch.heard()
  await clock.advance(99)
  expect(silences).toEqual([])
  await clock.advance(1)
  expect(silences).toEqual([100])
  await clock.advance(500)
  expect([silences, clock.pending]).toEqual([[100], 0])
})

test('R106: what passes while it is not watched does not count, and begins it anew', async () => {
  const { clock, watch, silences } = watching(100)
  watch.start()
  await clock.advance(90)
  watch.stop()
  expect(clock.pending).toBe(0)
  await clock.advance(500)
  watch.start()
  watch.start()
  await clock.advance(99)
  expect([silences, clock.pending]).toEqual([[], 1])
  await clock.advance(1)
  expect(silences).toEqual([100])
})

test('R106: without a limit nothing waits', async () => {
  const { clock, watch, silences } = watching(null)
  watch.start()
  expect(clock.pending).toBe(0)
  await clock.advance(10 ** 9)
  watch.stop()
  expect(silences).toEqual([])
})
