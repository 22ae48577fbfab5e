import type { ErrorView } from '../../domain/run/outcome.ts'
import { type ErrorProjector, projectError } from '../run/project-error.ts'
import { InvalidLease } from './checked-lease.ts'

const SOURCE = 'delegatedRunAdmission'

/** What clients and models may see of an acquisition, or of a close, that failed. */
export function admissionError(error: unknown, projector?: ErrorProjector): ErrorView {
  if (error instanceof InvalidLease) return { code: 'VALIDATION_FAILED', message: error.message, source: SOURCE }
  return projectError(error, SOURCE, projector)
}
