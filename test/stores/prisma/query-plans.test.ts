import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import { databasePath } from '../../../src/stores/prisma/sqlite/database-path.ts'
import { everyCall } from './every-call.ts'
import { connected } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch, type Scratch, sqliteScratch } from './scratch.ts'

type Statement = readonly [call: string, sql: string]

/** The statements that every call of the stores sends. */
async function statementsOf(scratch: Scratch): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  let current = ''
  const stores: Stores = await scratch.stores((sql) => {
    if (current !== '' && !/^(BEGIN|COMMIT)$/.test(sql)) statements.push([current, sql])
  })
  for (const [name, call] of await everyCall(stores)) {
    current = name
    await call()
  }
  return statements
}

test('every statement finds its rows by an index of SQLite', async () => {
  await using scratch = await sqliteScratch()
  const statements = await statementsOf(scratch)
  using db = new DatabaseSync(databasePath(scratch.url))
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all().map(({ name }) => String(name))
  const scans = statements.flatMap(([call, sql]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail))
    const named = [...sql.matchAll(/"(\w+)" AS (\w+)/g)]
    const aliases = named.flatMap(([, table, alias]) => (tables.includes(table!) ? [alias!] : []))
    const scanned = new RegExp(`^SCAN (${[...tables, ...aliases].join('|')})\\b`)
    return plan.filter((step) => scanned.test(step) || step.includes('AUTOMATIC')).map((step) => `${call}: ${step}`)
  })
  expect(scans).toEqual([])
  expect(statements.length).toBeGreaterThan(50)
})

test('C52: the log of a session and that of a tree have an index each in SQLite', async () => {
  await using scratch = await sqliteScratch()
  const statements = await statementsOf(scratch)
  using db = new DatabaseSync(databasePath(scratch.url))
  const searches = (call: string) =>
    statements
      .filter(([name]) => name === call)
      .flatMap(([, sql]) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail)))
      .filter((step) => step.startsWith('SEARCH Event'))
  const [ofSession, ofTree] = [/\(sessionKey=\? AND sequence>\?/, /\(scopeKey=\? AND rootSequence=\? AND sequence>\?/]
  for (const [call, index] of [
    ['events.read of a session', ofSession],
    ['events.read of a session and type', ofSession],
    ['events.read of a tree', ofTree],
    ['events.read of a subtree', ofTree],
  ] as const) {
    expect([call, searches(call)]).toEqual([call, [expect.stringMatching(index), expect.stringMatching(index)]])
  }
})

/**
 * A page of parts is sorted as a whole; busy sessions are few, and so are those with a rare title, and its pieces; so
 * are deletions under way.
 */
const sortedCalls = [
  'sessions.page of busy ones',
  'sessions.page of waiting ones',
  'sessions.page by words',
  'sessions.page by words after',
  'sessions.count by words',
  'structure.groups of a scope',
  'messages.parts',
  'messages.findParts',
]

test('lists that are sorted by an index are not sorted again by SQLite', async () => {
  await using scratch = await sqliteScratch()
  const statements = await statementsOf(scratch)
  using db = new DatabaseSync(databasePath(scratch.url))
  const sorts = statements.flatMap(([call, sql]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail))
    return plan.some((step) => step.includes('TEMP B-TREE')) ? [call] : []
  })
  expect(new Set(sorts)).toEqual(new Set(sortedCalls))
})

/** Enough rows that a planner that knows of them would rather not look at all. */
const filling = [
  `INSERT INTO "Scope" SELECT k, 'k' || k, 1000, 10000, 0, 1 FROM generate_series(1000, 19999) k`,
  `INSERT INTO "Session" SELECT k, 1000 + k % 20, 's' || k, 'g', k, CASE WHEN k % 10 > 0 THEN k / 10 * 10 END,
     k / 10 * 10, 0, lpad(k::text, 12, '0'), NULL, NULL, NULL, 't', 't', NULL, 'me', 1, k, 0, 0, 'w',
     CASE WHEN k % 200 = 0 THEN 'BUSY' WHEN k % 200 = 1 THEN 'AWAITING_PERMISSION' ELSE 'IDLE' END, '{}',
     CASE WHEN k % 200 < 2 THEN 'p' || k % 7 END, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
     FROM generate_series(1000, 20999) k`,
  `INSERT INTO "Tombstone" SELECT k, 1000 + k % 20, 't' || k, 'g', k, lpad(k::text, 12, '0'), 0, k / 10 * 10, 0, NULL, NULL,
     NULL, NULL, NULL, NULL, 1, 'me', CASE WHEN k % 200 = 0 THEN 'p' || k % 7 END FROM generate_series(1000000, 1019999) k`,
  `INSERT INTO "TitleGram" SELECT 1000 + k / 10, k % 10, 0, 1000 + k / 10 % 20 FROM generate_series(0, 199999) k`,
  `INSERT INTO "QueueEntry" SELECT 1000 + k / 5, k % 5, 'q' || k, k % 5, 1, 'E', NULL, 's', NULL, NULL, 'me', 1, 'X', k % 5 = 4,
     '{}', '{}' FROM generate_series(0, 49999) k`,
  `INSERT INTO "Run" SELECT 1000 + k / 5, k % 5, 'r' || k, 'q' || k, 'g', 1, 's', 1, 0, 1, NULL, NULL, 1, 1,
     1, 'p', 0, '[]', 0, 0, 0, 0, 0, NULL, 0, '{}' FROM generate_series(0, 49999) k`,
  `INSERT INTO "Message" SELECT 1000 + k / 10, k % 10, 'm' || k, 'r' || k / 2, 'USER', 1, 1, '[]'
     FROM generate_series(0, 99999) k`,
  `INSERT INTO "Part" SELECT 1000 + k / 10, k % 10, 0, 'p' || k, 'X', '{}', 1, 1 FROM generate_series(0, 99999) k`,
  `INSERT INTO "PartChunk" SELECT 1000 + k / 10, k % 10, 0, 0, '""' FROM generate_series(0, 99999) k`,
  `INSERT INTO "LogEntry" SELECT 1000 + k / 10, k % 10, 'r', 1, '{}' FROM generate_series(0, 99999) k`,
  `INSERT INTO "Permission" SELECT 1000 + k / 5, k % 5, 'p' || k, 1000 + k % 20, 'r' || k / 2, k / 3, k % 50 = 0,
     '{}', '{}' FROM generate_series(0, 49999) k`,
  `INSERT INTO "Grant" SELECT 1000 + k / 5, 'k' || k, 'p' || k, 'me', k FROM generate_series(0, 49999) k`,
  `INSERT INTO "UncertainExecution" SELECT 1000 + k / 5, k % 5, 'i' || k, 'r' || k / 2, 1, 0, 1, 1, k % 50 = 0,
     '{}', '{}' FROM generate_series(0, 49999) k`,
  `INSERT INTO "Event" SELECT 1000 + k % 20, k / 20 + 1, 1, 'run.started', 1000 + k % 20000, 's', 'g', 1,
     lpad((k % 20000)::text, 12, '0'), k % 20000, '{}' FROM generate_series(0, 199999) k`,
  `INSERT INTO "ClientRequest" SELECT 1000 + k % 20, 1000 + k / 5, 'c' || k, 'd', 'r', k
     FROM generate_series(0, 49999) k`,
  `INSERT INTO "CommitRecord" SELECT 'w' || k, 1, k FROM generate_series(0, 49999) k`,
  `INSERT INTO "KeyBlock" VALUES ('scope', 20000), ('session', 30000)`,
  'ANALYZE',
]

test.skipIf(postgresqlIsMissing)('every statement finds its rows by an index of PostgreSQL', async () => {
  await using scratch = await postgresqlScratch()
  await using client = await connected(scratch.url)
  for (const sql of filling) await client.query(sql)
  const statements = await statementsOf(scratch)
  await client.query('SET plan_cache_mode = force_generic_plan') // as it may plan what it has prepared
  const scans: string[] = []
  for (const [i, [call, sql]] of statements.entries()) {
    const parameters = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
    await client.query(`PREPARE p${i} AS ${sql}`)
    const nulls = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE p${i}${nulls}`)
    const steps = rows.map((row) => row['QUERY PLAN']).filter((step) => step.includes('Seq Scan on "'))
    scans.push(...steps.map((step) => `${call}: ${step}`))
  }
  expect(scans).toEqual([])
}, 120_000)
