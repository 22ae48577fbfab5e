import type { Generation, SessionId } from './ids.ts'

/** One reason why an input was refused; `path` names the field, such as `['input', 'text']`. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** An expected "no", made by the harness itself and safe to show to the caller as it is. */
export type Refusal =
  | { readonly code: 'VALIDATION_FAILED'; readonly message: string; readonly issues: readonly Issue[] }
  | { readonly code: 'NOT_FOUND'; readonly message: string }
  | { readonly code: 'SESSION_BUSY'; readonly message: string }
  | { readonly code: 'QUEUE_FULL'; readonly message: string; readonly limit: number }
  | { readonly code: 'PERMISSION_STATE'; readonly message: string }
  | { readonly code: 'RECONCILIATION_STATE'; readonly message: string }
  | {
      readonly code: 'COHORT_MISMATCH'
      readonly message: string
      /** Sessions that would be deleted, and what was expected of each; the first of them. */
      readonly sessions: readonly {
        readonly sessionId: SessionId
        readonly expected: Generation | null
        readonly actual: Generation
      }[]
      /** How many there are in all. */
      readonly totalMismatches: number
    }
  | { readonly code: 'CURSOR_EXPIRED'; readonly message: string }
  | { readonly code: 'SCOPE_FENCED'; readonly message: string }
  | { readonly code: 'SCOPE_RETIRED'; readonly message: string }
  | { readonly code: 'SHUTTING_DOWN'; readonly message: string }
  | { readonly code: 'STORE_CONFLICT'; readonly message: string }
  | { readonly code: 'UNAUTHENTICATED'; readonly message: string }
  | { readonly code: 'FORBIDDEN'; readonly message: string }

export type RefusalCode = Refusal['code']
export type RefusalOf<C extends RefusalCode> = Extract<Refusal, { code: C }>

/** What a verb of the harness answers: its value, or why not. Anything thrown instead is a fault. */
export type Answer<T, R extends Refusal = Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: R }

export const done = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

export const no = <R extends Refusal>(refusal: R): { ok: false; refusal: R } => ({ ok: false, refusal })

/** A refusal because of a single field. */
export const invalid = (path: Issue['path'], message: string): RefusalOf<'VALIDATION_FAILED'> => ({
  code: 'VALIDATION_FAILED',
  message: `${path.join('.')}: ${message}`,
  issues: [{ path, message }],
})

export const notFound = (what: string, id: string): RefusalOf<'NOT_FOUND'> => ({
  code: 'NOT_FOUND',
  message: `There is no ${what} ${JSON.stringify(id)} here.`,
})
