import type { HistoryEntry } from './history-entry.ts'
import { MigrationError } from './migration-error.ts'
import type { Migration } from './migration.ts'

/**
 * The migrations that a database with this history still lacks, oldest first. Throws a `MigrationError` when the history
 * is not one that this build can continue: a migration failed, is unknown here, or was another when it was applied.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  history: readonly HistoryEntry[],
): readonly Migration[] {
  const standing = history.filter((entry) => !entry.isRolledBack)
  const failed = standing.find((entry) => !entry.isFinished)
  if (failed) throw new MigrationError('FAILED', failed.name)

  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksum } of standing) {
    const migration = known.get(name)
    if (!migration) throw new MigrationError('NEWER', name)
    if (!migration.checksums.includes(checksum)) throw new MigrationError('EDITED', name)
  }
  const applied = new Set(standing.map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}
