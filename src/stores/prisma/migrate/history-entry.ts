/** A row of `_prisma_migrations`. */
export interface HistoryEntry {
  readonly name: string
  readonly checksum: string
  readonly isFinished: boolean
  readonly isRolledBack: boolean
}

/** Reads the rows from which `historyEntry` makes entries, oldest first. */
export const SELECT_HISTORY =
  'SELECT migration_name, checksum, finished_at, rolled_back_at FROM "_prisma_migrations" ORDER BY started_at'

export function historyEntry(row: Readonly<Record<string, unknown>>): HistoryEntry {
  return {
    name: String(row['migration_name']),
    checksum: String(row['checksum']),
    isFinished: row['finished_at'] !== null,
    isRolledBack: row['rolled_back_at'] !== null,
  }
}
