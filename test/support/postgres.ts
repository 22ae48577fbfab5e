import { randomUUID } from 'node:crypto'
import pg from 'pg'

/**
 * The PostgreSQL server of the tests: `TEST_POSTGRES_URL`, else the usual one of this machine. A suite begins with
 * `const url = await postgresUrl()` and `describe.skipIf(url === undefined)`, and gives each test a database of its own.
 */

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432'
const CONNECTION_TIMEOUT_MS = 3000

export interface ScratchDatabase {
  readonly url: string
  /** Ends all connections to the database and removes it. */
  drop(): Promise<void>
}

const serverUrl = (): string => process.env['TEST_POSTGRES_URL'] ?? DEFAULT_URL

/** Undefined, and a warning on stderr, when no server can be reached. */
export async function postgresUrl(): Promise<string | undefined> {
  try {
    await onServer('SELECT 1')
    return serverUrl()
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.join(', ') : String(error)
    process.emitWarning(`no PostgreSQL at ${withoutPassword(serverUrl())}, set TEST_POSTGRES_URL (${reason})`, 'SKIPPED')
    return undefined
  }
}

/** An empty database with a random name, made `how` SQL says. Fails when no server can be reached. */
export async function scratchDatabase(how = ''): Promise<ScratchDatabase> {
  const name = `flexharness_test_${randomUUID().replaceAll('-', '')}`
  await onServer(`CREATE DATABASE ${name} ${how}`)
  const url = new URL(serverUrl())
  url.pathname = name
  return { url: url.href, drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) }
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl(), connectionTimeoutMillis: CONNECTION_TIMEOUT_MS })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  return url.href
}
