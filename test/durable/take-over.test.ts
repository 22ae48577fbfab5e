import { describe, expect, test } from 'vitest'
import { postgresUrl } from '../support/postgres.ts'
import { Fleet } from './fleet.ts'
import { type Blow, takeOvers } from './take-over.ts'
import { spread } from './spread.ts'
import { verdictOf } from './verdict.ts'

const IS_LONG = process.env['FAULTS_LONG'] !== undefined
const timesOf = (blow: Blow): number => (IS_LONG ? 20 : blow === 'stop' ? 1 : 3)
const quick = { ttlMs: 1_500, takeOverMs: 250, lookMs: 250 }
const leases = IS_LONG ? {} : quick

const postgres = await postgresUrl()

describe.skipIf(postgres === undefined)('two processes on one database', () => {
  test.concurrent.each<Blow>(['kill', 'suspend', 'stop'])(
    'R73, R77: whoever takes over the run of a process after a %s goes on with it alone, and everything happens once',
    async (blow) => {
      await using fleet = await Fleet.on('PostgreSQL')
      const times = timesOf(blow)
      const { ms, acknowledged } = await takeOvers(fleet, { blow, times, leases })
      const verdict = await verdictOf(fleet, acknowledged)
      process.stdout.write(`Take-overs after a ${blow}: ${spread(ms)} ms; ${JSON.stringify(verdict)}\n`)
      expect(ms).toHaveLength(times)
      expect(verdict).toMatchObject({ prompts: 2 * times, runs: 2 * times, zombies: { accepted: 0 } })
      expect(verdict.resumptions).toBeGreaterThanOrEqual(times)
      expect(verdict.zombies.attempted > 0).toBe(blow === 'suspend')
    },
    IS_LONG ? 1_800_000 : 360_000,
  )
})
