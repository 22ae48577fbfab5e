import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { raced } from './raced.ts'

test('work that is done first gives its result, and no listener stays', async () => {
  const { signal } = new AbortController()
  await expect(raced(signal, Promise.resolve(1))).resolves.toBe(1)
  await expect(raced(signal, Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort wins at once, and what the work does later is ignored', async () => {
  const controller = new AbortController()
  const work = Promise.withResolvers<number>()
  const result = raced(controller.signal, work.promise)
  controller.abort(new Error('stop'))
  await expect(result).rejects.toThrow('stop')
  work.reject(new Error('late'))
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a signal that is aborted already wins over work that is done', async () => {
  const aborted = AbortSignal.abort(new Error('stopped before'))
  await expect(raced(aborted, Promise.resolve(1))).rejects.toThrow('stopped before')
})
