import { cutUtf8, storable } from '../../kernel/text.ts'
import { MAX_ERROR_CODE_BYTES, MAX_ERROR_MESSAGE_BYTES } from '../../domain/limits.ts'
import type { ErrorView } from '../../domain/run/outcome.ts'
import { ReservedToolError } from './reserved-tool-error.ts'
import { UnknownModelError } from '../../ports/unknown-model-error.ts'
import { InvalidLease } from '../admission/checked-lease.ts'

/** Whose code failed. */
export type ErrorSource = 'delegatedRunAdmission' | 'model' | 'modelResolver' | 'scopeResolver' | 'store' | 'tool' | 'toolProvider'

/** The application's say in how errors of its own code, its models and its stores are shown. Must not throw. */
export type ErrorProjector = (
  error: unknown,
  source: ErrorSource,
) => { readonly code: string; readonly message: string } | undefined

const generic: Record<ErrorSource, { readonly code: string; readonly message: string }> = {
  delegatedRunAdmission: { code: 'ADMISSION_FAILED', message: 'The admission of the delegated run failed.' },
  model: { code: 'MODEL_FAILED', message: 'The model call failed.' },
  modelResolver: { code: 'MODEL_UNAVAILABLE', message: 'The model could not be resolved.' },
  scopeResolver: { code: 'SCOPE_REFUSED', message: 'The scope of this prompt could not be resolved.' },
  tool: { code: 'TOOL_FAILED', message: 'The tool failed.' },
  toolProvider: { code: 'TOOLS_UNAVAILABLE', message: 'The tools could not be resolved.' },
  store: { code: 'STORE_FAILED', message: 'The store failed.' },
}

/**
 * What clients and models may see of an error. Its own text is shown only if the application's projector says so, or if it
 * tells what model there is not, or what tool there may not be.
 */
export function projectError(error: unknown, source: ErrorSource, projector?: ErrorProjector): ErrorView {
  const { code, message } =
    ours(error) ?? projected(error, source, projector) ?? written(error, source) ?? generic[source]
  return {
    code: cutUtf8(storable(code), MAX_ERROR_CODE_BYTES),
    message: cutUtf8(storable(message), MAX_ERROR_MESSAGE_BYTES),
    source,
  }
}

function projected(error: unknown, source: ErrorSource, projector?: ErrorProjector): ReturnType<ErrorProjector> {
  try {
    const shown = projector?.(error, source)
    return shown && typeof shown.code === 'string' && typeof shown.message === 'string' ? shown : undefined
  } catch {
    return undefined
  }
}

/** What the harness itself has to say about application code. */
const ours = (error: unknown): ReturnType<ErrorProjector> =>
  error instanceof InvalidLease ? { code: 'VALIDATION_FAILED', message: error.message } : undefined

/** What was written to be shown. */
function written(error: unknown, source: ErrorSource): ReturnType<ErrorProjector> {
  const isForClients =
    (source === 'modelResolver' && error instanceof UnknownModelError) ||
    (source === 'toolProvider' && error instanceof ReservedToolError)
  return isForClients ? { code: generic[source].code, message: error.message } : undefined
}
