import type { FailureClass } from '../../ports/stores/failure.ts'
import type { DriverCause } from './driver-cause.ts'
import { statementFailure } from './statement-failure.ts'

const FATAL: ReadonlySet<string> = new Set([
  '58030', // I/O error
  'XX001', // data corrupted
  'XX002', // index corrupted
])
const NOT_COMMITTED: ReadonlySet<string> = new Set([
  '25006', // read-only transaction
  '25P02', // the transaction has failed before
  '55P03', // lock timeout
  '57014', // statement timeout
])
/** Wrong data, broken constraints, rollbacks, wrong SQL, exhausted resources such as the disk, exceeded limits. */
const NOT_COMMITTED_CLASSES: ReadonlySet<string> = new Set(['22', '23', '40', '42', '44', '53', '54'])

/**
 * An error that PostgreSQL reports for a statement, or for COMMIT, has aborted the transaction. Not so an end of the
 * connection (57P01 and its like), which may hide that COMMIT was carried out.
 */
export function postgresqlFailure(cause: DriverCause): FailureClass {
  if (cause.kind !== 'postgres') return statementFailure(cause)
  if (FATAL.has(cause.code)) return 'fatal'
  const undone = NOT_COMMITTED.has(cause.code) || NOT_COMMITTED_CLASSES.has(cause.code.slice(0, 2))
  return undone ? 'notCommitted' : 'uncertain'
}
