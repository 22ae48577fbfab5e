import { highestLimits, type Limits } from '../domain/limits.ts'

const highest = new Map(Object.entries(highestLimits))

/** The limits, frozen. Throws a `RangeError` for one that makes no sense. */
export function checkedLimits(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`limits.${name} must be a positive integer.`)
    const most = highest.get(name)
    if (most !== undefined && value > most) throw new RangeError(`limits.${name} must be at most ${most}.`)
  }
  return Object.freeze(limits)
}
