import type { PermissionId, SessionKey } from '../../kernel/ids.ts'

/** A remembered `ALWAYS`: requests with its key pass without asking, in its session and all descendants. */
export interface Grant {
  readonly sessionKey: SessionKey
  readonly rememberKey: string
  /** The request that was answered. */
  readonly permissionId: PermissionId
  readonly grantedBy: string
  readonly createdAt: number
}
