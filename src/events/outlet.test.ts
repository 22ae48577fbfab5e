import { expect, test } from 'vitest'
import { Outlet } from './outlet.ts'

function outlet() {
  const calls: string[] = []
  const it = new Outlet<number>({ pulled: () => calls.push('pulled'), left: () => calls.push('left') })
  return { it, calls }
}
const over = { done: true, value: undefined }

test('E9: several calls of next are answered in order', async () => {
  const { it, calls } = outlet()
  const answers = [it.next(), it.next(), it.next()]
  expect([calls, it.isAwaited]).toEqual([['pulled', 'pulled', 'pulled'], true])
  for (const value of [1, 2, 3]) it.answer(value)
  expect(await Promise.all(answers)).toEqual([1, 2, 3].map((value) => ({ done: false, value })))
  expect(it.isAwaited).toBe(false)
})

test('E9: returning tells the source once and answers every waiting call', async () => {
  const { it, calls } = outlet()
  const waiting = [it.next(), it.next()]
  expect(await it.return()).toEqual(over)
  expect(await Promise.all(waiting)).toEqual([over, over])
  expect([await it.next(), await it.return()]).toEqual([over, over])
  expect(calls).toEqual(['pulled', 'pulled', 'left'])
})

test('returning before the first call ends it as well', async () => {
  const { it, calls } = outlet()
  await it.return()
  expect([await it.next(), calls]).toEqual([over, ['left']])
})

test('a stream that ends by itself says so to everybody, and not to the source', async () => {
  const { it, calls } = outlet()
  const waiting = it.next()
  it.end()
  expect([await waiting, await it.next(), await it.return()]).toEqual([over, over, over])
  expect(calls).toEqual(['pulled'])
})

test('an error goes to the oldest waiting call, or else to the next one, and then the stream is over', async () => {
  const { it } = outlet()
  const waiting = [it.next(), it.next()]
  it.fail(new Error('broken'))
  await expect(waiting[0]).rejects.toThrow('broken')
  expect([await waiting[1], await it.next()]).toEqual([over, over])

  const { it: later } = outlet()
  later.fail(new Error('broken'))
  later.fail(new Error('again'))
  await expect(later.next()).rejects.toThrow('broken')
  expect(await later.next()).toEqual(over)

  const { it: left } = outlet()
  left.fail(new Error('broken'))
  expect([await left.return(), await left.next()]).toEqual([over, over])
})

test('it can be looped over', async () => {
  const values = [1, 2]
  const it: Outlet<number> = new Outlet({
    pulled: () => {
      const value = values.shift()
      if (value === undefined) it.end()
      else it.answer(value)
    },
    left: () => {},
  })
  const read: number[] = []
  for await (const value of it) read.push(value)
  expect(read).toEqual([1, 2])
})
