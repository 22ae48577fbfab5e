import { describe, expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { readMigrations } from '../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../src/stores/prisma/migrate/migrations-folder.ts'
import { openPostgresql } from '../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../src/stores/prisma/stores-of.ts'
import { openWorld } from '../contract/support/world.ts'
import { connected } from '../stores/prisma/postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from '../stores/prisma/scratch.ts'
import { postgresProxy } from '../support/postgres-proxy.ts'
import { CommitClient, type Told } from './commit-client.ts'
import { violationsOf } from './commit-history.ts'
import { rowsOf } from './rows-of.ts'

const POOL = 3
const timeouts = { connectMs: 250, lockMs: 300, statementMs: 500, idleTransactionMs: 500, idleMs: 1500, silenceMs: 400 }
const policy = { commitDeadlineMs: 500, resolveDeadlineMs: 1000 }
const deadlineMs = policy.commitDeadlineMs + policy.resolveDeadlineMs
/** For a machine that has other things to do. */
const latenessMs = 1000

async function throughProxy(url: string): Promise<Stores & AsyncDisposable> {
  const database = await openPostgresql({ url, onStatement: () => undefined, poolSize: POOL, timeouts })
  const stores = storesOf({ database, migrations: readMigrations(migrationsFolder('postgresql')) })
  return { ...stores, [Symbol.asyncDispose]: () => stores.close() }
}

async function elapsed(work: Promise<unknown>): Promise<number> {
  const began = systemClock.monotonic()
  await work
  return systemClock.monotonic() - began
}

describe.skipIf(postgresqlIsMissing)('a black hole between the server and PostgreSQL', () => {
  test.each([
    ['the connection', ['notCommitted', 'fatal']],
    ['BEGIN', ['notCommitted', 'fatal']],
    ['UPDATE "Session"', ['fatal']],
    ['COMMIT', ['fatal']],
  ])(
    'C71: one that begins at %s ends by the deadlines, and what comes after it works',
    async (moment, allowed) => {
      await using scratch = await postgresqlScratch()
      await using proxy = await postgresProxy(scratch.url)
      await using stores = await throughProxy(proxy.url)
      const world = await openWorld(await scratch.stores())
      const sessions = await Promise.all(Array.from({ length: 8 }, () => world.create()))
      const told: Told = { asked: [], resolved: [] }
      const client = new CommitClient({ stores, told, policy })
      const changeAll = (by: CommitClient, name: string) =>
        Promise.all(sessions.map((session, i) => by.change(session, `${name}-${i}`)))
      const answers = (name: string) =>
        told.asked.filter(({ marker }) => marker.startsWith(name)).map(({ answer }) => answer)

      await changeAll(client, 'before')
      expect(answers('before').every((answer) => typeof answer === 'number')).toBe(true)
      // All of them have been read, and are in the hands of the committer, when the hole begins.
      const read = await stores.sessions.findMany(sessions.map(({ key }) => key))
      if (moment === 'the connection') await proxy.cutAll()
      proxy.plan = (sql) => void (sql.trimStart().startsWith(moment) && proxy.blackHole())
      if (moment === 'the connection') proxy.blackHole()
      const times = await Promise.all(read.map((session, i) => elapsed(client.submit(session, `within-${i}`))))
      expect(Math.max(...times)).toBeLessThan(deadlineMs + latenessMs)
      const failures = new Set(answers('within'))
      expect([...failures].filter((answer) => !allowed.includes(String(answer)))).toEqual([])
      expect(client.committer.isHealthy).toBe(!failures.has('fatal'))
      expect(await stores.isReady()).toBe(false)

      // Who was refused for good is refused at once, also when the hole has gone.
      proxy.plan = () => undefined
      proxy.heal()
      const isRefused = failures.has('fatal')
      const next = await elapsed(changeAll(client, 'next'))
      expect(next).toBeLessThan((isRefused ? 0 : deadlineMs) + latenessMs)
      expect(answers('next').every((answer) => (answer === 'fatal') === isRefused)).toBe(true)
      await proxy.settled()
      await using observer = await connected(scratch.url)
      const restarted = new CommitClient({ stores, told, policy: {} })
      for (const round of [1, 2, 3]) await changeAll(restarted, `after-${round}`)
      expect(answers('after').map((answer) => typeof answer)).toEqual(Array.from({ length: 24 }, () => 'number'))
      expect(await stores.isReady()).toBe(true)
      expect(proxy.clients).toBeLessThanOrEqual(POOL)
      const { rows } = await observer.query<{ state: string }>(
        `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'flexharness'`,
      )
      expect(rows.filter(({ state }) => state !== 'idle')).toEqual([])
      expect(await violationsOf(told, rowsOf(scratch.url))).toEqual({ violations: [], wrong: 0 })
    },
  )
})
