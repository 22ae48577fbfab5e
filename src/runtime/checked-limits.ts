import type { Limits } from '../domain/limits.ts'

/** The limits, frozen. Throws a `RangeError` for one that makes no sense. */
export function checkedLimits(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`limits.${name} must be a positive integer.`)
  }
  return Object.freeze(limits)
}
