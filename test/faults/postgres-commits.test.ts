import { describe, expect, test } from 'vitest'
import type { WriteId } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import { postgresqlIsMissing } from '../stores/prisma/scratch.ts'
import { aroundCommit, lateCommit } from './around-commit.ts'
import { commitStorm } from './commit-storm.ts'
import { faultsSeed, isLong, replay } from './fault-run.ts'

const target = isLong ? 2000 : 60
const limitMs = isLong ? 900_000 : 60_000
const patience = { timeout: 2 * limitMs }

describe.skipIf(postgresqlIsMissing)('commits on PostgreSQL through a network that fails', () => {
  test('C70: what was acknowledged is there once, what failed never, none was resolved wrongly', patience, async () => {
    const report = await commitStorm({ seed: faultsSeed(), uncertain: target, limitMs, faults: aroundCommit })
    const { violations, ...counts } = report
    process.stdout.write(`Commits around faults: ${JSON.stringify(counts)}\n`)
    const how = replay(report.seed)
    expect({ violations, wrong: counts.wrong, how }).toEqual({ violations: [], wrong: 0, how })
    expect(counts.failed).not.toHaveProperty('fatal')
    expect(counts.uncertain).toBeGreaterThanOrEqual(target)
    expect(counts.resolvedCommitted).toBeGreaterThan(target / 10)
    expect(counts.resolvedAbsent).toBeGreaterThan(target / 10)
  })

  test.each([
    ['the record of the commit', 'SELECT FROM "CommitRecord" WHERE "writeId" = $1 AND "members" > 0'],
    ['the last writer of the session', 'SELECT FROM "Session" WHERE "writeId" = $1'],
  ])('a store that reads %s back instead of fencing it does not pass', patience, async (_what, query) => {
    const tamper = (stores: Stores, url: string): Stores => ({
      ...stores,
      unit: { ...stores.unit, outcomeOf: (writeId) => readBack(url, query, writeId) },
    })
    const storm = { seed: faultsSeed(), uncertain: 40, limitMs, faults: lateCommit, tamper }
    const { violations, wrong } = await commitStorm(storm)
    expect(wrong).toBeGreaterThan(0)
    expect(violations).toContainEqual(expect.stringMatching(/\(conflict\) failed and is there/))
  })
})

async function readBack(url: string, query: string, writeId: WriteId): Promise<'committed' | 'absent'> {
  await using client = await connected(url)
  const { rowCount } = await client.query(query, [writeId])
  return rowCount === 1 ? 'committed' : 'absent'
}
