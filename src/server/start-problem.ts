import { Fault } from '../kernel/fault.ts'
import { UnknownModelError } from '../ports/unknown-model-error.ts'
import type { ServerConfig } from './config.ts'

/** Errors that say by themselves what is wrong and what to do. */
const CLEAR_CODES: ReadonlySet<unknown> = new Set(['DATABASE_IN_USE', 'MIGRATION'])

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH'])

/** Why the server could not start, in one line for whoever started it; undefined when the log has to tell the story. */
export function startProblem(error: unknown, { host, port }: ServerConfig): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return `PORT: ${port} of ${host} is in use by another process; 0 takes any free one.`
  if (code === 'EACCES' && 'port' in error) return `PORT: this user may not listen on ${port}; set one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `HOST: ${host} is no address of this machine.`
  if (code === 'ENOTFOUND' && 'hostname' in error && error.hostname === host) return `HOST: ${host} has no address.`
  if (CLEAR_CODES.has(code)) return `DATABASE_URL: ${error.message}`
  if (error instanceof UnknownModelError || (error instanceof Fault && error.source === 'resolver')) return error.message
  if (UNREACHABLE.has(code)) return `DATABASE_URL: the database cannot be reached: ${String(code)}.`
  return undefined
}
