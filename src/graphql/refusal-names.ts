import type { RefusalCode, RefusalOf } from '../kernel/refusal.ts'

/** The refusals that a mutation can answer with, and the object types that show them. */
export const errorTypeNames = {
  VALIDATION_FAILED: 'ValidationError',
  NOT_FOUND: 'NotFoundError',
  SESSION_BUSY: 'SessionBusyError',
  QUEUE_FULL: 'QueueFullError',
  PERMISSION_STATE: 'PermissionStateError',
  RECONCILIATION_STATE: 'ReconciliationStateError',
  COHORT_MISMATCH: 'CohortMismatchError',
  SCOPE_FENCED: 'ScopeFencedError',
  SCOPE_RETIRED: 'ScopeRetiredError',
  SHUTTING_DOWN: 'ShuttingDownError',
  STORE_CONFLICT: 'StoreConflictError',
  FORBIDDEN: 'ForbiddenError',
} as const satisfies Partial<Record<RefusalCode, string>>

export type MutationRefusalCode = keyof typeof errorTypeNames
export type MutationRefusal = RefusalOf<MutationRefusalCode>

export const isMutationRefusal = (refusal: { readonly code: RefusalCode }): refusal is MutationRefusal =>
  Object.hasOwn(errorTypeNames, refusal.code)
