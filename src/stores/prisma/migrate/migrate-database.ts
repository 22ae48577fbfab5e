import { migratePostgresql } from './migrate-postgresql.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { readMigrations } from './migration.ts'
import { migrationsFolder } from './migrations-folder.ts'

/**
 * Brings the database of a URL (`postgresql://…`, else a file of SQLite) to where this build needs it. Answers the names
 * of the migrations that it applied. Throws a `MigrationError`, which says what to do, and changes nothing if it cannot.
 */
export function migrateDatabase(url: string): Promise<readonly string[]> {
  return /^postgres(ql)?:/.test(url)
    ? migratePostgresql(url, readMigrations(migrationsFolder('postgresql')))
    : migrateSqlite(url, readMigrations(migrationsFolder('sqlite')))
}
