import { expect, test } from 'vitest'
import { clockTool } from '../../../src/agent/tools/clock.ts'
import { ToolError } from '../../../src/ports/tool-error.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { called } from './called.ts'

const clock = clockTool(virtualClock(Date.UTC(2030, 6, 1, 23, 4, 5, 67)))

test.each([
  ['Europe/Berlin', '2030-07-02T01:04:05.067+02:00'],
  ['America/St_Johns', '2030-07-01T20:34:05.067-02:30'],
  ['UTC', '2030-07-01T23:04:05.067Z'],
])('T61: the time is that of the clock, in %s as well', async (timeZone, local) => {
  expect(await called(clock, { timeZone })).toEqual({ utc: '2030-07-01T23:04:05.067Z', timeZone, local })
})

test('T61: without a zone the time is UTC', async () => {
  expect(await called(clock, {})).toEqual({ utc: '2030-07-01T23:04:05.067Z' })
  expect(await called(clockTool(virtualClock(Date.UTC(2031, 0, 1))), {})).toEqual({ utc: '2031-01-01T00:00:00.000Z' })
})

test.each(['Europe/Atlantis', '', '../../etc/localtime'])('T61: there is no zone %j', async (timeZone) => {
  await expect(called(clock, { timeZone })).rejects.toThrow(ToolError)
})
