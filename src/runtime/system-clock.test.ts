import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from './system-clock.ts'

const day = 24 * 3_600_000
const timersThatHold = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

test('breathe lets what waits in the event loop run', async () => {
  let ran = false
  setImmediate(() => {
    ran = true
  })
  await systemClock.breathe()
  expect(ran).toBe(true)
})

test('a callback does not keep the process alive, a sleep does', async () => {
  const before = timersThatHold()
  const cancel = systemClock.after(60_000, () => {})
  expect(timersThatHold()).toBe(before)
  cancel()
  const stop = new AbortController()
  const sleeping = systemClock.sleep(60_000, stop.signal)
  expect(timersThatHold()).toBe(before + 1)
  stop.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  expect(timersThatHold()).toBe(before)
})

describe('with the timers of the platform held still', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('now and monotonic follow the platform', () => {
    vi.setSystemTime(Date.UTC(2031, 4, 6))
    const [now, monotonic] = [systemClock.now(), systemClock.monotonic()]
    expect(now).toBe(Date.UTC(2031, 4, 6))
    vi.advanceTimersByTime(250)
    expect(systemClock.now() - now).toBe(250)
    expect(systemClock.monotonic() - monotonic).toBe(250)
  })

  test('after calls back once, or never when cancelled', () => {
    const called: string[] = []
    systemClock.after(100, () => called.push('kept'))
    const cancel = systemClock.after(100, () => called.push('cancelled'))
    vi.advanceTimersByTime(99)
    expect(called).toEqual([])
    cancel()
    vi.advanceTimersByTime(1000)
    expect(called).toEqual(['kept'])
  })

  test('waits longer than a timer of the platform can are kept', () => {
    let called = 0
    systemClock.after(60 * day, () => called++)
    const cancel = systemClock.after(60 * day, () => {
      called += 100
    })
    vi.advanceTimersByTime(60 * day - 1)
    expect(called).toBe(0)
    cancel()
    vi.advanceTimersByTime(1)
    expect(called).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('sleep resolves in time and lets go of the signal', async () => {
    const stop = new AbortController()
    const removed = vi.spyOn(stop.signal, 'removeEventListener')
    let awake = false
    const sleeping = systemClock.sleep(50, stop.signal).then(() => {
      awake = true
    })
    await vi.advanceTimersByTimeAsync(49)
    expect(awake).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await sleeping
    expect(awake).toBe(true)
    expect(removed).toHaveBeenCalledOnce()
  })

  test('sleep rejects with the reason of its signal, at once when it is aborted already', async () => {
    const stop = new AbortController()
    const sleeping = systemClock.sleep(50, stop.signal)
    const reason = new Error('stopped')
    stop.abort(reason)
    await expect(sleeping).rejects.toBe(reason)
    await expect(systemClock.sleep(50, stop.signal)).rejects.toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })
})
