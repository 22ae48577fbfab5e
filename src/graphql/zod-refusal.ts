import type { ZodError } from 'zod'
import type { Issue, RefusalOf } from '../kernel/refusal.ts'

/** What validation found, with every failing field. */
export function zodRefusal({ issues: found }: ZodError): RefusalOf<'VALIDATION_FAILED'> {
  const issues = found.map(({ path, message }): Issue => ({ path: path.map(step), message }))
  return {
    code: 'VALIDATION_FAILED',
    message: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    issues,
  }
}

const step = (key: PropertyKey): string | number => (typeof key === 'symbol' ? key.toString() : key)
