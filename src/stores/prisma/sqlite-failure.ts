import type { FailureClass } from '../../ports/stores/failure.ts'
import type { DriverCause } from './driver-cause.ts'
import { statementFailure } from './statement-failure.ts'

const FATAL: ReadonlySet<number> = new Set([
  10, // I/O error, fsync included: nobody knows what is on the disk
  11, // corrupt
  26, // not a database
])
/**
 * The index of the log of changes could not grow, mostly for want of room. The change is in the log by then, and would
 * be found there after a crash: only another change in its place excludes it.
 */
const SHM_SIZE = 4874
const NOT_COMMITTED: ReadonlySet<number> = new Set([
  5, // busy
  6, // locked
  8, // read-only
  13, // disk full
  14, // cannot open
  19, // a constraint
])

/**
 * SQLite works in this process and the adapter rolls back what a failed COMMIT leaves open, so an error that SQLite
 * reports, and that is not about the disk itself, leaves nothing behind.
 */
export function sqliteFailure(cause: DriverCause): FailureClass {
  if (cause.kind === 'SocketTimeout') return 'notCommitted' // busy
  if (cause.kind !== 'sqlite') return statementFailure(cause)
  if (cause.extendedCode === SHM_SIZE) return 'uncertain'
  const primary = cause.extendedCode % 256
  if (FATAL.has(primary)) return 'fatal'
  return NOT_COMMITTED.has(primary) ? 'notCommitted' : 'uncertain'
}
