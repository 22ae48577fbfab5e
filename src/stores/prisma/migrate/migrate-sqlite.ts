import { renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { databasePath, IN_MEMORY } from '../sqlite/database-path.ts'
import { isBusy } from '../sqlite/prisma-error.ts'
import { type HistoryEntry, historyEntry, SELECT_HISTORY } from './history-entry.ts'
import type { MigrateOptions } from './migrate-options.ts'
import { MigrationError } from './migration-error.ts'
import type { Migration } from './migration.ts'
import { pendingMigrations } from './pending-migrations.ts'

/**
 * Brings a SQLite database to the newest migration and records that as `prisma migrate deploy` does.
 * - All pending migrations are one exclusive transaction: whatever happens, the database has all of them or none.
 * - Foreign keys are off meanwhile, because rebuilding a table would otherwise delete what refers to it; they are
 *   checked before the commit.
 * - A database that has rows is first copied to `<file>.before-<first pending migration>.bak`.
 */

const LOCK_TIMEOUT_MS = 5000
const HISTORY_TABLE = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`
const NOW = `strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')`
const UUID = `lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
  substr(hex(randomblob(2)), 2), hex(randomblob(6))))`

/** Answers the names of the migrations that it applied. Throws a `MigrationError` and changes nothing if it cannot. */
export async function migrateSqlite(
  url: string,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const file = databasePath(url)
  if (file === IN_MEMORY) throw new Error('A database in memory belongs to one connection and cannot be migrated')
  const timeout = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS
  using db = new DatabaseSync(file, { timeout, enableForeignKeyConstraints: false })
  try {
    const [first] = pendingMigrations(migrations, historyOf(db))
    if (!first) return []
    if (hasRows(db)) await copy(db, `${file}.before-${first.name}.bak`)
    db.exec('BEGIN EXCLUSIVE')
    // Once more, because another process may have come first.
    const pending = pendingMigrations(migrations, historyOf(db))
    db.exec(HISTORY_TABLE)
    for (const migration of pending) apply(db, migration)
    db.exec('COMMIT')
    return pending.map(({ name }) => name)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw isBusy(error) ? new MigrationError('BUSY', undefined, error) : error
  }
}

function apply(db: DatabaseSync, { name, sql, checksums }: Migration): void {
  const begin = `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at) VALUES (${UUID}, ?, ?, ${NOW})`
  const { lastInsertRowid } = db.prepare(begin).run(checksums[0], name)
  try {
    db.exec(sql)
    const [broken] = db.prepare('PRAGMA foreign_key_check').all()
    if (broken) throw new Error(`A row of ${String(broken['table'])} would refer to one that does not exist.`)
  } catch (error) {
    throw new MigrationError('REFUSED', name, error)
  }
  const finish = `UPDATE "_prisma_migrations" SET finished_at = ${NOW}, applied_steps_count = 1 WHERE rowid = ?`
  db.prepare(finish).run(lastInsertRowid)
}

/** Throws when the database belongs to something else. */
function historyOf(db: DatabaseSync): readonly HistoryEntry[] {
  const tables = tablesOf(db)
  if (!tables.includes('_prisma_migrations')) {
    if (tables.length > 0) throw new MigrationError('FOREIGN')
    return []
  }
  return db.prepare(SELECT_HISTORY).all().map(historyEntry)
}

function tablesOf(db: DatabaseSync): readonly string[] {
  const rows = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`).all()
  return rows.map(({ name }) => String(name))
}

function hasRows(db: DatabaseSync): boolean {
  const ours = tablesOf(db).filter((name) => name !== '_prisma_migrations')
  return ours.some((name) => db.prepare(`SELECT 1 FROM "${name.replaceAll('"', '""')}" LIMIT 1`).get() !== undefined)
}

/** Under its name there is a whole copy or none. */
async function copy(db: DatabaseSync, file: string): Promise<void> {
  const unfinished = `${file}.tmp`
  rmSync(unfinished, { force: true })
  await backup(db, unfinished, { rate: 10_000 })
  renameSync(unfinished, file)
}
