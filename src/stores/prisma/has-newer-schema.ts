import type { Database } from './database.ts'
import { historyEntry, SELECT_HISTORY } from './migrate/history-entry.ts'
import type { Migration } from './migrate/migration.ts'
import { MigrationError } from './migrate/migration-error.ts'
import { pendingMigrations } from './migrate/pending-migrations.ts'
import { raw, sql } from './sql.ts'

/** True when the database has migrations that this build does not know. Fails when it cannot be asked. */
export async function hasNewerSchema(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  const history = await database.rows<Readonly<Record<string, unknown>>>(sql`${raw(SELECT_HISTORY)}`)
  try {
    pendingMigrations(migrations, history.map(historyEntry))
    return false
  } catch (error) {
    if (error instanceof MigrationError) return error.problem === 'NEWER'
    throw error
  }
}
