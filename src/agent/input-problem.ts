import { cutUtf8, storable } from '../kernel/text.ts'

const MAX_ISSUES = 20
const MAX_BYTES = 2_048

/**
 * What is wrong with the input of a tool, for the model that made it up: what the tool's schema says, issue by issue, and
 * nothing of any other error.
 */
export function inputProblem(error: unknown): string {
  const lines = issuesOf(error).slice(0, MAX_ISSUES)
  const why = lines.length > 0 ? lines.join('; ') : 'it does not match the schema of the tool'
  return cutUtf8(storable(`The input is wrong: ${why}.`), MAX_BYTES)
}

/** Zod's errors have issues; those of the SDK have such an error as their cause, or the issues themselves. */
function issuesOf(error: unknown): readonly string[] {
  const cause = fieldOf(error, 'cause')
  const issues = [fieldOf(error, 'issues'), fieldOf(cause, 'issues'), cause].find((it) => Array.isArray(it))
  return Array.isArray(issues) ? issues.flatMap(issueLine) : []
}

function issueLine(issue: unknown): readonly string[] {
  const message = fieldOf(issue, 'message')
  if (typeof message !== 'string') return []
  const path = fieldOf(issue, 'path')
  const place = Array.isArray(path) ? path.map(keyOf).join('.') : ''
  return [place === '' ? message : `${place}: ${message}`]
}

const keyOf = (segment: unknown): string => String(fieldOf(segment, 'key') ?? segment)

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined
