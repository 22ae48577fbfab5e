import { type FailureClass, StoreFailure } from '../../ports/stores/failure.ts'
import type { Dialect } from './dialect.ts'
import { driverCause } from './driver-cause.ts'
import { NotBegun } from './not-begun.ts'

const TRANSACTION_ERROR = 'P2028'
const NO_TRANSACTION_IN_TIME = 'Unable to start a transaction'

/** The failure of a change for what Prisma threw. What cannot be classified is uncertain. */
export function changeFailure(dialect: Dialect, error: unknown): StoreFailure {
  return error instanceof StoreFailure ? error : failure(changeClass(dialect, error), error)
}

/** The failure of a query, which changes nothing whatever happens to it. */
export function readFailure(dialect: Dialect, error: unknown): StoreFailure {
  const { failure: found } = changeFailure(dialect, error)
  return failure(found === 'fatal' ? found : 'notCommitted', error)
}

function changeClass(dialect: Dialect, error: unknown): FailureClass {
  if (error instanceof NotBegun) return changeClass(dialect, error.cause) === 'fatal' ? 'fatal' : 'notCommitted'
  const cause = driverCause(error)
  if (cause) return dialect.failureOf(cause)
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const waited = code === TRANSACTION_ERROR && String(message).includes(NO_TRANSACTION_IN_TIME)
  return waited ? 'notCommitted' : 'uncertain'
}

const failure = (found: FailureClass, error: unknown): StoreFailure =>
  new StoreFailure(found, error instanceof Error ? error.message : String(error), error)
