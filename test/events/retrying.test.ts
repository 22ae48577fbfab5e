import { expect, test } from 'vitest'
import { retrying } from '../../src/events/retrying.ts'
import { CursorExpired } from '../../src/ports/subscriptions.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { recordedLog } from './recorded-log.ts'

function setUp() {
  const clock = virtualClock()
  const log = recordedLog()
  const stop = new AbortController()
  return { clock, log, stop, options: { clock, log, signal: stop.signal, what: 'Trying' } }
}

test('it pauses ever longer, up to five seconds, and logs each failure', async () => {
  const { clock, log, options } = setUp()
  const tried: number[] = []
  const result = retrying(options, async () => {
    tried.push(clock.monotonic())
    if (tried.length < 10) throw new Error('not yet')
    return 'done'
  })
  await clock.advance(60_000)
  expect(await result).toBe('done')
  expect(tried.map((at, i) => at - (tried[i - 1] ?? 0))).toEqual([0, 50, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
  expect(log.lines).toHaveLength(9)
  const message = 'Trying failed and is tried again.'
  expect(log.lines[1]).toMatchObject({ level: 'warn', message, fields: { failures: 2 } })
})

test('it gives up when its signal aborts, also while it pauses', async () => {
  const { clock, stop, options } = setUp()
  const trying = retrying(options, async () => {
    throw new Error('never')
  })
  await clock.advance(10)
  stop.abort(new Error('stopped'))
  await expect(trying).rejects.toThrow('stopped')
  expect(clock.pending).toBe(0)
})

test('it does not repeat what cannot succeed', async () => {
  const { log, options } = setUp()
  const trying = retrying(options, async () => {
    throw new CursorExpired('gone')
  })
  await expect(trying).rejects.toThrow('gone')
  expect(log.lines).toEqual([])
})
