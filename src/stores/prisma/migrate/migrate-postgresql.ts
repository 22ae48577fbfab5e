import pg from 'pg'
import { type HistoryEntry, historyEntry, SELECT_HISTORY } from './history-entry.ts'
import type { MigrateOptions } from './migrate-options.ts'
import { MigrationError } from './migration-error.ts'
import type { Migration } from './migration.ts'
import { pendingMigrations } from './pending-migrations.ts'

/**
 * Brings a PostgreSQL database to the newest migration and records that as `prisma migrate deploy` does.
 * - All pending migrations are one transaction: whatever happens, the database has all of them or none.
 * - It holds the advisory lock of Prisma Migrate, so several servers, and operators, can do this at once: one does.
 */

const PRISMA_MIGRATE_LOCK = 72_707_369
const CONNECTION_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'
const HISTORY_TABLE = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"              VARCHAR(64) NOT NULL,
    "finished_at"           TIMESTAMPTZ,
    "migration_name"        VARCHAR(255) NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        TIMESTAMPTZ,
    "started_at"            TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count"   INTEGER NOT NULL DEFAULT 0
  )`
const OTHER_TABLES = `
  SELECT relname FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  LIMIT 1`

/** Answers the names of the migrations that it applied. Throws a `MigrationError` and changes nothing if it cannot. */
export async function migratePostgresql(
  url: string,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS })
  client.on('error', () => undefined) // what loses its connection fails by itself
  await client.connect()
  try {
    return await migrate(client, migrations, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS)
  } finally {
    await client.end()
  }
}

async function migrate(
  client: pg.Client,
  migrations: readonly Migration[],
  lockTimeoutMs: number,
): Promise<readonly string[]> {
  // Whoever waited for the lock must then see what the other has done.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    await client.query(`SELECT pg_advisory_xact_lock(${PRISMA_MIGRATE_LOCK})`)
    const pending = pendingMigrations(migrations, await historyOf(client))
    if (pending.length > 0) await client.query(HISTORY_TABLE)
    for (const migration of pending) await apply(client, migration)
    await client.query('COMMIT')
    return pending.map(({ name }) => name)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // a lost connection has rolled back by itself
    throw isLockTimeout(error) ? new MigrationError('BUSY', undefined, error) : error
  }
}

async function apply(client: pg.Client, { name, sql, checksums }: Migration): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at)
     VALUES (gen_random_uuid(), $1, $2, clock_timestamp()) RETURNING id`,
    [checksums[0], name],
  )
  try {
    await client.query(sql)
  } catch (error) {
    throw isLockTimeout(error) ? error : new MigrationError('REFUSED', name, error)
  }
  await client.query(
    'UPDATE "_prisma_migrations" SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [rows[0]?.id],
  )
}

/** Throws when the database belongs to something else. */
async function historyOf(client: pg.Client): Promise<readonly HistoryEntry[]> {
  const { rowCount: found } = await client.query(`SELECT WHERE to_regclass('"_prisma_migrations"') IS NOT NULL`)
  if (found === 0) {
    const { rowCount: others } = await client.query(OTHER_TABLES)
    if (others !== 0) throw new MigrationError('FOREIGN')
    return []
  }
  const { rows } = await client.query<Record<string, unknown>>(SELECT_HISTORY)
  return rows.map(historyEntry)
}

function isLockTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === LOCK_NOT_AVAILABLE
}
