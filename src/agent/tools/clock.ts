import { type Tool, tool } from 'ai'
import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { ToolError } from '../../ports/tool-error.ts'

const MAX_ZONE = 100

/** The tool `clock`: what time it is. */
export const clockTool = (clock: Clock): Tool =>
  tool({
    description: 'Tells the current date and time, in UTC and, if asked for, in a time zone.',
    inputSchema: z.object({
      timeZone: z.string().max(MAX_ZONE).optional().describe('A name of the IANA list, such as "Europe/Berlin"'),
    }),
    metadata: { readOnly: true, idempotent: true },
    execute: ({ timeZone }) => {
      const now = clock.now()
      const utc = isoTime(now, 'UTC')
      return timeZone === undefined ? { utc } : { utc, timeZone, local: isoTime(now, timeZone) }
    },
  })

/** ISO 8601 with milliseconds and offset. */
function isoTime(ms: number, timeZone: string): string {
  const fields = new Map(formatFor(timeZone).formatToParts(ms).map(({ type, value }) => [type, value]))
  const field = (type: Intl.DateTimeFormatPartTypes): string => fields.get(type) ?? ''
  const offset = field('timeZoneName').replace(/^GMT(?:[+]00:00)?/, '')
  return (
    `${field('year')}-${field('month')}-${field('day')}T${field('hour')}:${field('minute')}:${field('second')}` +
    `.${field('fractionalSecond')}${offset === '' ? 'Z' : offset}`
  )
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'longOffset',
    })
  } catch {
    throw new ToolError(`There is no time zone ${JSON.stringify(timeZone)}.`)
  }
}
