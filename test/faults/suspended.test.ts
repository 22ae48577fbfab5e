import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { newWriteId, nextRow, openWorld } from '../contract/support/world.ts'
import { openPostgresql } from '../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../src/stores/prisma/stores-of.ts'
import { postgresqlIsMissing, postgresqlScratch } from '../stores/prisma/scratch.ts'
import { storeFailureOf } from '../stores/prisma/store-failure-of.ts'
import { postgresProxy } from '../support/postgres-proxy.ts'

/** The database lets go of what a client holds that says nothing any more. */
const IDLE_MS = 3_000
/** What a statement waits for a lock, at most. */
const LOCK_MS = 5_000

describe.skipIf(postgresqlIsMissing)('a process that is suspended between two statements of a transaction', () => {
  test('C93: holds up others for three seconds, which is less than they wait, and has changed nothing', async () => {
    await using scratch = await postgresqlScratch()
    await using proxy = await postgresProxy(scratch.url)
    const { create, change, reload } = await openWorld(await scratch.stores())
    const session = await create()
    const suspended = storesOf({
      database: await openPostgresql({ url: proxy.url, onStatement: () => undefined }),
      migrations: [],
    })
    proxy.arm('INSERT INTO "CommitRecord"', { kind: 'silence' })
    let isHeld = false
    const { plan } = proxy
    proxy.plan = (sql) => {
      isHeld ||= sql.includes('INSERT INTO "CommitRecord"')
      return plan(sql)
    }
    const lost = storeFailureOf(suspended.unit.commit(newWriteId(), [change({ sessions: [nextRow(session)] })]))
    while (!isHeld) await systemClock.sleep(1)

    const since = systemClock.monotonic()
    await (await scratch.stores()).unit.commit(newWriteId(), [change({ sessions: [nextRow(session)] })])
    const waited = systemClock.monotonic() - since
    expect(waited).toBeGreaterThan(IDLE_MS / 2)
    expect(waited).toBeLessThan(LOCK_MS)
    await proxy.cutAll()
    expect(await lost).toBe('uncertain')
    expect(await reload(session)).toMatchObject({ revision: session.revision + 1 })
    await suspended.close()
  })
})
