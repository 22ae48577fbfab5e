import type { Database } from './database.ts'
import type { Migration } from './migrate/migration.ts'

/** A database with the migrations that it should have. */
export interface MigratedDatabase {
  readonly database: Database
  /** Those of this build. */
  readonly migrations: readonly Migration[]
}
