import type { SessionId } from '../../kernel/ids.ts'

/** An error as clients and models may see it. Never raw text of a provider, a stack, a path or a secret. */
export interface ErrorView {
  /** Stable, at most 128 UTF-8 bytes. */
  readonly code: string
  /** At most 2,048 UTF-8 bytes. */
  readonly message: string
  /** Whose code failed, such as `harness` or `model`. */
  readonly source: string
}

/** How a run ended. Decided once; nothing changes it afterwards. */
export type RunOutcome =
  | { readonly status: 'COMPLETED' }
  | { readonly status: 'FAILED'; readonly error: ErrorView }
  | { readonly status: 'CANCELLED'; readonly error: ErrorView }

/** What the agent log says of a run: whether the next context takes its output whole. */
export type LogOutcome = 'ACCEPTED' | 'REJECTED' | 'INTERRUPTED'

export const errorOf = (outcome: RunOutcome): ErrorView | null => (outcome.status === 'COMPLETED' ? null : outcome.error)

type Failed = Extract<RunOutcome, { status: 'FAILED' }>
type Cancelled = Extract<RunOutcome, { status: 'CANCELLED' }>

/** The outcome of a run that was told to stop. */
export const abortedWith = (message: string): Cancelled => ({
  status: 'CANCELLED',
  error: { code: 'ABORTED', message, source: 'harness' },
})

/** The outcome of a run of which what is stored does not fit together, which no change of the harness can have made. */
export const damaged = (sessionId: SessionId, why: string): Failed => ({
  status: 'FAILED',
  error: {
    code: 'INTERRUPTED',
    message: `The session ${JSON.stringify(sessionId)} is damaged: ${why}. Delete it, or restore the database from a backup.`,
    source: 'harness',
  },
})

/** The outcome of a run whose process stopped, under the recovery policy FAIL. */
export const interrupted: Failed = {
  status: 'FAILED',
  error: { code: 'INTERRUPTED', message: 'The process stopped before this run completed.', source: 'harness' },
}

/** The outcome of a run that was stopped because its scope was fenced. */
export const fencedOff = (message: string): RunOutcome => ({
  status: 'FAILED',
  error: { code: 'INTERRUPTED', message, source: 'harness' },
})

export const overflowed = (what: string, limit: number): RunOutcome => ({
  status: 'FAILED',
  error: { code: 'CALLBACK_OVERFLOW', message: `The run produced more than ${limit} ${what}.`, source: 'harness' },
})

export const outOfSteps = (maxSteps: number): RunOutcome => ({
  status: 'FAILED',
  error: { code: 'BUDGET_EXCEEDED', message: `The run used all of its ${maxSteps} steps.`, source: 'harness' },
})
