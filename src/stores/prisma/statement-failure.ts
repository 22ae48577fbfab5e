import type { FailureClass } from '../../ports/stores/failure.ts'
import type { DriverCause } from './driver-cause.ts'

/** The class of the errors that the adapters of both databases name alike. */
export function statementFailure(cause: DriverCause): FailureClass {
  switch (cause.kind) {
    case 'UniqueConstraintViolation':
      return 'conflict'
    // The statement was refused.
    case 'NullConstraintViolation':
    case 'ForeignKeyConstraintViolation':
    case 'RestrictViolation':
    case 'LengthMismatch':
    case 'ValueOutOfRange':
    case 'InvalidInputValue':
    case 'TransactionWriteConflict':
    // There never was a connection.
    case 'DatabaseNotReachable':
    case 'DatabaseDoesNotExist':
    case 'DatabaseAccessDenied':
    case 'AuthenticationFailed':
    case 'TlsConnectionError':
    case 'TooManyConnections':
      return 'notCommitted'
    // Our statements are fixed, so the schema is not ours.
    case 'TableDoesNotExist':
    case 'ColumnNotFound':
      return 'fatal'
    default:
      return 'uncertain'
  }
}
