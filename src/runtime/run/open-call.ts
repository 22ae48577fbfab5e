import type { PermissionId } from '../../kernel/ids.ts'
import type { Child } from '../../domain/delegation/delegation.ts'
import type { CallState, ToolCallInfo } from '../../domain/tool/call.ts'
import type { Tool } from '../../ports/tools.ts'

/** A call that the model asked for and whose part is open. */
export interface OpenCall {
  readonly partIndex: number
  readonly info: ToolCallInfo
  /** Null when there is no such tool, or the input cannot be read: then `problem` says so. */
  readonly tool: Tool | null
  readonly problem: string | null
  /** Where an earlier attempt of the run has delegated it to. */
  readonly child: Child | null
  /** What an earlier attempt of the run left of it; null for a call that has just been asked for. */
  readonly before: { readonly state: CallState['kind']; readonly permissionId: PermissionId | null } | null
}
