const MAX_CAUSES = 4

interface LoggedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: LoggedError
}

/**
 * An error as the log shows it: what it is, where it came from and what caused it. Nothing else that somebody hung on
 * it, since errors of providers carry whole requests, with the prompts and the keys in them.
 */
export function loggedError(error: unknown, causes = MAX_CAUSES): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') && `${error.code}`
  return {
    type: name,
    message,
    ...(code !== false && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: loggedError(cause, causes - 1) }),
  }
}
