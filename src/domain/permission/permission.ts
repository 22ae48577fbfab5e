/** What a tool asks a person. */
export interface PermissionAsk {
  readonly kind: string
  readonly description: string
  readonly toolCallId?: string
  readonly rememberKey?: string
  readonly metadata?: unknown
}
