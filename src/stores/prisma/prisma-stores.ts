import type { Stores } from '../../ports/stores/stores.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { Database } from './database.ts'
import { migrateDatabase } from './migrate/migrate-database.ts'
import { readMigrations } from './migrate/migration.ts'
import { migrationsFolder } from './migrate/migrations-folder.ts'
import type { StatementListener } from './observed-adapter.ts'
import { FileLock } from './sqlite/file-lock.ts'
import { storesOf } from './stores-of.ts'

export interface PrismaStoresOptions {
  /** `file:PATH` for SQLite, `postgresql://…` for PostgreSQL. */
  readonly url: string
  readonly log?: Log
  /** Connections to PostgreSQL: 10 by default. */
  readonly poolSize?: number
  /** Is told every statement before it is sent; for tests and metrics. */
  readonly onStatement?: StatementListener
}

/**
 * Opens the stores in a database, which it creates, if it is a file, and migrates, after a copy. On SQLite this
 * process alone has the file until `close`. Fails with a `DatabaseInUseError` when another has it, with a
 * `MigrationError` when the database cannot be brought to what this build needs, and with what the driver says when
 * there is no such database.
 */
export async function prismaStores(options: PrismaStoresOptions): Promise<Stores> {
  const { url } = options
  if (/^postgres(ql)?:/.test(url)) return opened(options, 'postgresql')
  if (!url.startsWith('file:')) throw new Error('The URL of the database must begin with file: or postgresql:')
  const lock = FileLock.acquire(url)
  try {
    const stores = await opened(options, 'sqlite')
    return { ...stores, close: () => stores.close().finally(() => lock?.release()) }
  } catch (error) {
    lock?.release()
    throw error
  }
}

async function opened(options: PrismaStoresOptions, provider: 'sqlite' | 'postgresql'): Promise<Stores> {
  const { url, log } = options
  const migrations = readMigrations(migrationsFolder(provider))
  const applied = await migrateDatabase(url)
  if (applied.length > 0) log?.info({ migrations: applied }, 'The database was migrated.')
  return storesOf({ database: await open(options, provider), migrations })
}

/** The client and the driver of the other database are not even loaded. */
async function open(options: PrismaStoresOptions, provider: 'sqlite' | 'postgresql'): Promise<Database> {
  const { url, poolSize, log, onStatement = () => undefined } = options
  if (provider === 'sqlite') {
    const { openSqlite } = await import('./open-sqlite.ts')
    return openSqlite({ url, onStatement })
  }
  const { openPostgresql } = await import('./open-postgresql.ts')
  return openPostgresql({ url, onStatement, ...(poolSize && { poolSize }), ...(log && { log }) })
}
