import type { Database } from './database.ts'
import { historyEntry, SELECT_HISTORY } from './migrate/history-entry.ts'
import type { Migration } from './migrate/migration.ts'
import { pendingMigrations } from './migrate/pending-migrations.ts'
import { raw, sql } from './sql.ts'

/** True when the database answers and has the migrations of this build, and no others. Never throws. */
export async function isMigrated(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  try {
    const history = await database.rows<Readonly<Record<string, unknown>>>(sql`${raw(SELECT_HISTORY)}`)
    return pendingMigrations(migrations, history.map(historyEntry)).length === 0
  } catch {
    return false
  }
}
