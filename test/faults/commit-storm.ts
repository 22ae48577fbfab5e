/**
 * Several processes' worth of clients change shared sessions and sessions of their own in one PostgreSQL database,
 * some directly, most through a proxy that cuts, hangs and delays around COMMIT, until enough of their commits have
 * been uncertain. Then the database is compared with what they were told.
 */
import type { Session } from '../../src/domain/session/session.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { openPostgresql, type PostgresqlTimeouts } from '../../src/stores/prisma/open-postgresql.ts'
import { storesOf } from '../../src/stores/prisma/stores-of.ts'
import { openWorld } from '../contract/support/world.ts'
import { postgresqlScratch } from '../stores/prisma/scratch.ts'
import type { FaultPlan } from '../support/postgres-fault.ts'
import { postgresProxy } from '../support/postgres-proxy.ts'
import { seeded } from '../support/seeded.ts'
import { CommitClient, type Told } from './commit-client.ts'
import { type Asked, type CommitHistory, violationsOf } from './commit-history.ts'
import { rowsOf } from './rows-of.ts'

export interface Storm {
  readonly seed: number
  /** How many commits must have been uncertain. */
  readonly uncertain: number
  /** When it ends even if there were fewer. */
  readonly limitMs: number
  readonly faults: (random: () => number) => FaultPlan
  /** Makes the stores of those that go through the proxy worse than they are. */
  readonly tamper?: (stores: Stores, url: string) => Stores
}

export interface StormReport {
  readonly seed: number
  readonly asked: number
  readonly acknowledged: number
  readonly failed: Readonly<Record<string, number>>
  readonly uncertain: number
  readonly resolvedCommitted: number
  readonly resolvedAbsent: number
  readonly wrong: number
  readonly slowestResolutionMs: number
  readonly seconds: number
  readonly violations: readonly string[]
}

const SCOPES = 3
const PROXIED = 5
const DIRECT = 2
const WRITERS = 3
const POOL = 3
/** Short, so that what hangs is met by every one of them. */
const timeouts: PostgresqlTimeouts = {
  connectMs: 2000,
  lockMs: 1500,
  statementMs: 3000,
  idleTransactionMs: 2000,
  idleMs: 3000,
  silenceMs: 3500,
}
const policy = { commitDeadlineMs: 1200, resolveDeadlineMs: 20_000, maxRepeats: 8 }

export async function commitStorm(storm: Storm): Promise<StormReport> {
  const began = systemClock.monotonic()
  const random = seeded(storm.seed)
  await using scratch = await postgresqlScratch()
  await using proxy = await postgresProxy(scratch.url)
  const told: Told = { asked: [], resolved: [] }
  const shared = await sessionsOf(await scratch.stores(), SCOPES)
  const tamper = storm.tamper ?? ((stores: Stores) => stores)
  const proxied = await clients(PROXIED, async () => tamper(await storesAt(proxy.url), scratch.url))
  const direct = await clients(DIRECT, () => storesAt(scratch.url))
  const isOver = () =>
    told.resolved.length >= storm.uncertain || systemClock.monotonic() - began > storm.limitMs

  async function clients(count: number, open: () => Promise<Stores>): Promise<readonly CommitClient[]> {
    const client = async () => new CommitClient({ stores: await open(), told, policy })
    return Promise.all(Array.from({ length: count }, client))
  }

  async function write(client: CommitClient, name: string, own: Session): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const session = random() < 0.6 ? own : (shared[Math.floor(random() * shared.length)] ?? own)
      await client.change(session, `${name}-${n}`)
    }
  }

  const everybody = [...proxied, ...direct]
  const own = await sessionsOf(await scratch.stores(), everybody.length * WRITERS)
  proxy.plan = storm.faults(random)
  await Promise.all(
    everybody.flatMap((client, i) =>
      own.slice(i * WRITERS, (i + 1) * WRITERS).map((session, w) => write(client, `client-${i}-${w}`, session)),
    ),
  )
  proxy.plan = () => undefined
  await Promise.all(everybody.map(({ committer }) => committer.drain()))
  await proxy.settled()
  await Promise.all(everybody.map(({ stores }) => stores.close()))
  const { violations, wrong } = await violationsOf(told, rowsOf(scratch.url))
  return { ...reportOf(told), seed: storm.seed, wrong, violations, seconds: (systemClock.monotonic() - began) / 1000 }
}

async function storesAt(url: string): Promise<Stores> {
  const database = await openPostgresql({ url, onStatement: () => undefined, poolSize: POOL, timeouts })
  return storesOf({ database, migrations: [] })
}

/** New sessions, spread over as many scopes as there are. */
async function sessionsOf(stores: Stores, count: number): Promise<readonly Session[]> {
  const worlds = await Promise.all(Array.from({ length: SCOPES }, () => openWorld(stores)))
  const sessions: Session[] = []
  for (let i = 0; i < count; i++) {
    const world = worlds[i % SCOPES]
    if (world) sessions.push(await world.create())
  }
  return sessions
}

function reportOf({ asked, resolved }: CommitHistory) {
  const kindOf = ({ answer }: Asked) =>
    typeof answer === 'number' || answer === 'unnumbered' ? 'acknowledged' : (answer ?? 'unanswered')
  const { acknowledged = 0, ...failed } = countBy(asked.map(kindOf))
  const { committed = 0, absent = 0 } = countBy(resolved.map(({ outcome }) => outcome))
  return {
    asked: asked.length,
    acknowledged,
    failed,
    uncertain: resolved.length,
    resolvedCommitted: committed,
    resolvedAbsent: absent,
    slowestResolutionMs: Math.round(Math.max(0, ...resolved.map(({ ms }) => ms))),
  }
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(names, (name) => name)
  return Object.fromEntries([...groups].map(([name, { length }]) => [name, length]))
}
