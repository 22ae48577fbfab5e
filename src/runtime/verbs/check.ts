import type { Issue, RefusalOf } from '../../kernel/refusal.ts'
import type { Rule } from '../../domain/input-rules.ts'

/** What a rule says of a field, as issues. A field that is absent is not looked at. */
export function checked<T>(path: Issue['path'], value: T | undefined | null, rule: Rule<T>): readonly Issue[] {
  if (value === undefined || value === null) return []
  const message = rule(value)
  return message === undefined ? [] : [{ path, message }]
}

/** One refusal for all issues; undefined when there is none. */
export function refusedFor(issues: readonly Issue[]): RefusalOf<'VALIDATION_FAILED'> | undefined {
  if (issues.length === 0) return undefined
  const message = issues.map(({ path, message: text }) => `${path.join('.')}: ${text}`).join('; ')
  return { code: 'VALIDATION_FAILED', message, issues }
}
