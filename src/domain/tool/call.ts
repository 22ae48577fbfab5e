import type { Json } from '../../kernel/json.ts'
import type { PermissionId } from '../../kernel/ids.ts'
import type { ToolResult } from './result.ts'

/**
 * What a call of a tool may do: `none` changes nothing, `repeatable` can be repeated without harm, `once` must not be
 * repeated unless it is known that it did not happen; `child` happens in a session of its own, which knows how it ended.
 */
export type Effect = 'none' | 'repeatable' | 'once' | 'child'

/** What a model asked for. */
export interface ToolCallInfo {
  /** Unique in its run. */
  readonly toolCallId: string
  /** As the provider named it; not always unique. */
  readonly providerCallId: string
  readonly toolName: string
  readonly input: Json
  readonly effect: Effect
}

/**
 * Where a call stands. Once `running` is durable it may have happened. `begunBefore` is there when an attempt of its run
 * that lost its process had begun it, and it can be begun again: then it may have happened as well.
 */
export type CallState =
  | { readonly kind: 'pending'; readonly begunBefore?: number }
  | { readonly kind: 'awaiting'; readonly permissionId: PermissionId; readonly begunBefore?: number }
  | { readonly kind: 'running'; readonly since: number }
  /** It had begun when its process was lost, and must not be repeated: a person has to find out. */
  | { readonly kind: 'unknown'; readonly since: number }
  | { readonly kind: 'ended'; readonly result: ToolResult; readonly begunAt: number | null }

/** When a call began, last of all; null when it cannot have happened. */
export function begunAtOf(state: CallState): number | null {
  switch (state.kind) {
    case 'pending':
    case 'awaiting':
      return state.begunBefore ?? null
    case 'running':
    case 'unknown':
      return state.since
    case 'ended':
      return state.begunAt
  }
}
