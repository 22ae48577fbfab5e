export interface MigrateOptions {
  /**
   * How long to wait for another process that holds the database, or the lock on migrations. By default 5 s on SQLite,
   * where waiting blocks, and a minute on PostgreSQL, where the other may well be migrating.
   */
  readonly lockTimeoutMs?: number
}
