import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { settled } from './settled.ts'

function waiting(signal: AbortSignal) {
  const clock = virtualClock()
  const work = Promise.withResolvers<number>()
  let end: unknown
  const result = settled(clock, { signal, graceMs: 100 }, work.promise).then((it) => (end = it))
  return { clock, work, result, end: () => end }
}

test('work that ends gives its value or its error, and neither a timer nor a listener stays', async () => {
  const { signal } = new AbortController()
  const [good, bad] = [waiting(signal), waiting(signal)]
  good.work.resolve(7)
  const error = new Error('no')
  bad.work.reject(error)
  expect(await good.result).toEqual({ kind: 'value', value: 7 })
  expect(await bad.result).toEqual({ kind: 'error', error })
  expect([good.clock.pending, bad.clock.pending]).toEqual([0, 0])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('without an abort work may take as long as it likes', async () => {
  const { clock, end } = waiting(new AbortController().signal)
  await clock.advance(1_000_000)
  expect(end()).toBeUndefined()
})

test('X8: what ends within the grace after an abort counts', async () => {
  const controller = new AbortController()
  const { clock, work, result } = waiting(controller.signal)
  controller.abort()
  await clock.advance(99)
  work.resolve(7)
  expect(await result).toEqual({ kind: 'value', value: 7 })
  expect(clock.pending).toBe(0)
})

test('X9: what ignores an abort is abandoned after the grace, and how it ends later is ignored', async () => {
  const controller = new AbortController()
  const { clock, work, result, end } = waiting(controller.signal)
  await clock.advance(1_000)
  controller.abort()
  await clock.advance(99)
  expect(end()).toBeUndefined()
  await clock.advance(1)
  expect(await result).toEqual({ kind: 'abandoned' })
  work.reject(new Error('late'))
  await clock.settle()
  expect(end()).toEqual({ kind: 'abandoned' })
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a signal that was aborted before leaves the grace alone', async () => {
  const { clock, end } = waiting(AbortSignal.abort())
  await clock.advance(99)
  expect(end()).toBeUndefined()
  await clock.advance(1)
  expect(end()).toEqual({ kind: 'abandoned' })
})
