import { expect, test } from 'vitest'
import { deathOf } from './deaths.ts'
import { openWorld } from '../../contract/support/world.ts'
import { connected } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from './scratch.ts'

test.skipIf(postgresqlIsMissing)('D12: on PostgreSQL a group is held by a process that was alive a while ago and has not let go', async () => {
  await using scratch = await postgresqlScratch()
  await using client = await connected(scratch.url)
  const stores = await scratch.stores()
  const { instances, structure } = stores
  const { create, commit } = await openWorld(stores)
  const session = await create({ row: { owner: 'p' } })
  const { key: group } = session
  await commit(deathOf(session).reserve)
  const isHeld = (graceMs: number, except = 'q') => instances?.isHeld({ group, except, graceMs })
  expect(await isHeld(60_000)).toBe(false)
  await instances?.renew('p', 60_000)
  expect([await isHeld(0), await isHeld(0, 'p')]).toEqual([true, false])
  await client.query(`UPDATE "Instance" SET "expiresAt" = "expiresAt" - 90000`)
  expect([await isHeld(0), await isHeld(20_000), await isHeld(60_000)]).toEqual([false, false, true])
  await structure.letGo('p', [group])
  expect(await isHeld(60_000)).toBe(false)
})
