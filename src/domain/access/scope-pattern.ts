import { idRule, type Rule } from '../input-rules.ts'

/** The id of one scope, or a beginning of ids followed by `*`. `*` alone is every scope. */
export type ScopePattern = string

const ANY = '*'

export const scopePatternRule: Rule<ScopePattern> = (pattern) => {
  const beginning = pattern.endsWith(ANY) ? pattern.slice(0, -1) : pattern
  if (beginning.includes(ANY)) return 'may have a * at its end alone'
  return idRule(pattern)
}

/** Whether the pattern is for this scope. */
export const isFor = (pattern: ScopePattern, scopeId: string): boolean =>
  pattern.endsWith(ANY) ? scopeId.startsWith(pattern.slice(0, -1)) : scopeId === pattern

/** The scopes of several patterns: named one by one, and by beginnings of their ids. */
export interface NamedScopes {
  readonly exact: readonly string[]
  readonly beginnings: readonly string[]
}

export const scopesNamedBy = (patterns: readonly ScopePattern[]): NamedScopes => ({
  exact: patterns.filter((pattern) => !pattern.endsWith(ANY)),
  beginnings: patterns.filter((pattern) => pattern.endsWith(ANY)).map((pattern) => pattern.slice(0, -1)),
})
