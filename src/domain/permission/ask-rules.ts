import { utf8Length } from '../../kernel/text.ts'
import { MAX_PERMISSION_KIND_BYTES, MAX_REMEMBER_KEY_BYTES } from '../limits.ts'
import type { PermissionAsk } from './permission.ts'

/** What is wrong with a request for permission, or undefined. Its description may be of any length: it is cut. */
export function askIssue({ kind, description, rememberKey, toolCallId }: PermissionAsk): string | undefined {
  return (
    textIssue('kind', kind, MAX_PERMISSION_KIND_BYTES) ??
    textIssue('description', description, Infinity) ??
    (rememberKey === undefined ? undefined : textIssue('rememberKey', rememberKey, MAX_REMEMBER_KEY_BYTES)) ??
    (toolCallId === undefined ? undefined : textIssue('toolCallId', toolCallId, Infinity))
  )
}

/** The values come from code of the application, which may be JavaScript. */
function textIssue(name: string, value: unknown, maxBytes: number): string | undefined {
  if (typeof value !== 'string') return `${name} must be text`
  if (value.trim() === '') return `${name} must not be blank`
  return utf8Length(value) > maxBytes ? `${name} must have at most ${maxBytes} UTF-8 bytes` : undefined
}
