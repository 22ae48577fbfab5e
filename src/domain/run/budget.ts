import type { Issue } from '../../kernel/refusal.ts'
import type { Rule } from '../input-rules.ts'
import { MAX_BUDGET_IDLE_MS, MAX_BUDGET_TOKENS, MAX_BUDGET_WALL_CLOCK_MS } from '../limits.ts'
import type { RunOutcome } from './outcome.ts'

/**
 * What a run may use; null is no limit. Tokens and time are shared with the runs that it delegates to; the time for which
 * there may be no output is its own.
 */
export interface Budget {
  readonly totalTokens: number | null
  /** Milliseconds at work: waiting for people or for a turn is none. */
  readonly wallClockMs: number | null
  /** Milliseconds at work without any output. */
  readonly idleMs: number | null
}

/** A budget as somebody gives it. */
export type BudgetInput = { readonly [Name in keyof Budget]?: number | null | undefined }

/** What a run has used, with all that it delegated. */
export interface Spent {
  readonly totalTokens: number
  readonly workedMs: number
}

const upTo =
  (max: number): Rule<unknown> =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max
      ? undefined
      : `must be a positive integer of at most ${max}`

export const budgetRules: { readonly [Name in keyof Budget]: Rule<unknown> } = {
  totalTokens: upTo(MAX_BUDGET_TOKENS),
  wallClockMs: upTo(MAX_BUDGET_WALL_CLOCK_MS),
  idleMs: upTo(MAX_BUDGET_IDLE_MS),
}

/** All that is wrong with what somebody gave as a budget; a field that is absent or null is no limit. */
export function budgetIssues(given: unknown, path: Issue['path']): readonly Issue[] {
  if (!isObject(given)) return [{ path, message: 'must be an object' }]
  return Object.entries(given).flatMap(([name, value]) => {
    if (!isName(name)) return [{ path: [...path, name], message: `is unknown: a budget has ${names.join(', ')}` }]
    const message = value === null || value === undefined ? undefined : budgetRules[name](value)
    return message === undefined ? [] : [{ path: [...path, name], message }]
  })
}

const names = Object.keys(budgetRules)

const isName = (name: string): name is keyof Budget => names.includes(name)

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is left of a budget that was checked: null when it limits nothing. */
export function budgetOf({ totalTokens, wallClockMs, idleMs }: BudgetInput): Budget | null {
  const budget = { totalTokens: totalTokens ?? null, wallClockMs: wallClockMs ?? null, idleMs: idleMs ?? null }
  return Object.values(budget).some((limit) => limit !== null) ? budget : null
}

/** Whose budget it is: of the run itself, or of one that has delegated to it, however far above. */
export type Whose = 'own' | 'above'

/** How a run ends whose budget is used up, asked between its steps; undefined while something is left of all of it. */
export function exhausted(budget: Budget | null, { totalTokens, workedMs }: Spent, whose: Whose): RunOutcome | undefined {
  if (!budget) return undefined
  const by = whose === 'own' ? 'The run' : 'The run that delegated to this one'
  if (budget.totalTokens !== null && totalTokens >= budget.totalTokens) {
    return exceeded(`${by} used ${totalTokens} of its ${budget.totalTokens} tokens.`)
  }
  if (budget.wallClockMs !== null && workedMs >= budget.wallClockMs) {
    return exceeded(`${by} worked for ${workedMs} of its ${budget.wallClockMs} ms.`)
  }
  return undefined
}

/** Why a run ends that was silent for too long. */
export const silentFor = (idleMs: number): string => `The run had no output for ${idleMs} ms.`

export const exceeded = (message: string): RunOutcome => ({
  status: 'FAILED',
  error: { code: 'BUDGET_EXCEEDED', message, source: 'harness' },
})
