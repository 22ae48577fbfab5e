import { type DriverAdapterError, isDriverAdapterError } from '@prisma/driver-adapter-utils'

/** What the driver said, as its adapter has mapped it. */
export type DriverCause = DriverAdapterError['cause']

/** Finds what the driver said in what Prisma threw: the error itself at COMMIT, else in the `meta` of Prisma's own. */
export function driverCause(error: unknown): DriverCause | undefined {
  if (!(error instanceof Error)) return undefined
  if (isDriverAdapterError(error)) return error.cause
  const { meta } = error as { readonly meta?: { readonly driverAdapterError?: unknown } }
  return driverCause(meta?.driverAdapterError)
}
