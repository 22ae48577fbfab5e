import { describe, expect, test } from 'vitest'
import { postgresUrl } from '../support/postgres.ts'
import { faultsSeed, isLong } from '../faults/fault-run.ts'
import { crashLoop } from './crash-loop.ts'

const KILLS = isLong ? 100 : 5

const postgres = await postgresUrl()

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (database) => {
  test.skipIf(database === 'PostgreSQL' && postgres === undefined)(
    'R78, R79: servers are killed at commits and at any time, and nothing is lost, doubled or left behind',
    async () => {
      const report = await crashLoop({ database, kills: KILLS, seed: faultsSeed() })
      process.stdout.write(`Crash loop on ${database}: ${JSON.stringify(report)}\n`)
      expect(Object.values(report.deaths).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(KILLS)
      expect(report.resumptions).toBeGreaterThan(0)
      expect(report.zombies.accepted).toBe(0)
    },
    isLong ? 3_600_000 : 480_000,
  )
})
