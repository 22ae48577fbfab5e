import { destination, pino } from 'pino'
import type { Log } from '../ports/telemetry.ts'
import { loggedError } from './logged-error.ts'

const STANDARD_ERROR = 2

const serialised = (error: unknown) => loggedError(error)

/**
 * The operator's log: a line of JSON per entry, to standard error, written before the call returns, so that nothing is
 * missing after a crash.
 */
export function pinoLog(level: string): Log {
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: serialised } },
    destination({ fd: STANDARD_ERROR, sync: true }),
  )
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}
