import { expect, test } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

test('what is due runs at its own time, in order, also when it was started on the way', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const ran: [string, number][] = []
  const note = (what: string) => ran.push([what, clock.now() - start])
  clock.after(30, () => note('late'))
  clock.after(10, () => {
    note('early')
    clock.after(15, () => note('started on the way'))
  })
  const cancel = clock.after(20, () => note('cancelled'))
  clock.after(41, () => note('not yet due'))
  cancel()
  await clock.advance(40)
  expect(ran).toEqual([['early', 10], ['started on the way', 25], ['late', 30]])
  expect([clock.monotonic(), clock.now() - start, clock.pending]).toEqual([40, 40, 1])
})

test('a sleeper wakes in time, and what follows it runs before time goes on', async () => {
  const clock = virtualClock()
  const woken: number[] = []
  const sleeper = async () => {
    await clock.sleep(10)
    woken.push(clock.monotonic())
    await clock.breathe()
    await clock.sleep(10)
    woken.push(clock.monotonic())
  }
  void sleeper()
  await clock.advance(100)
  expect(woken).toEqual([10, 20])
})

test('a sleeper ends with the reason of its signal and leaves no timer', async () => {
  const clock = virtualClock()
  const stop = new AbortController()
  const sleeping = clock.sleep(10, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(sleeping).rejects.toThrow('stopped')
  await expect(clock.sleep(10, stop.signal)).rejects.toThrow('stopped')
  expect(clock.pending).toBe(0)
})

test('something that spins without time passing is found out', async () => {
  const clock = virtualClock()
  const stop = new AbortController()
  const spin = async () => {
    while (!stop.signal.aborted) await clock.breathe()
  }
  const spun = spin()
  await expect(clock.settle()).rejects.toThrow('breathes for ever')
  stop.abort()
  await spun
})

test('time stands still while something is held, also something that fails', async () => {
  const clock = virtualClock()
  const held = clock.hold(new Promise((resolve) => setTimeout(() => resolve(clock.monotonic()), 20)))
  const failing = clock.hold(Promise.reject(new Error('failed')))
  await clock.advance(1_000)
  await expect(held).resolves.toBe(0)
  await expect(failing).rejects.toThrow('failed')
})
