import type { Json } from '../../kernel/json.ts'
import type { PermissionId, RunId, ScopeKey, SessionKey } from '../../kernel/ids.ts'

/** What code of the application, or a policy, wants a person to decide. */
export interface PermissionAsk {
  /** Not blank; at most 128 UTF-8 bytes. */
  readonly kind: string
  /** Not blank; cut at 4 KiB. */
  readonly description: string
  readonly toolCallId?: string
  /** What an `ALWAYS` is remembered under; at most 512 UTF-8 bytes. Without one the request cannot be granted for good. */
  readonly rememberKey?: string
  /** Normalised as the output of a tool is. */
  readonly metadata?: unknown
}

/** How a person may decide. */
export type PermissionDecision = 'ONCE' | 'ALWAYS' | 'REJECT'

/** How a request ended: decided, allowed by an earlier `ALWAYS`, or cancelled because its run stopped. */
export type PermissionOutcome = PermissionDecision | 'GRANTED_BEFORE' | 'CANCELLED'

export interface Resolution {
  readonly decision: PermissionOutcome
  /** What the model is told of a `REJECT` that denies only this call. */
  readonly message: string | null
  /** The principal who decided; null when nobody did. */
  readonly by: string | null
  readonly at: number
}

export type PermissionState =
  | { readonly kind: 'pending' }
  | ({ readonly kind: 'resolved' } & Resolution)

/** A question that a run asks a person before it goes on. */
export interface Permission {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  /** Position among the requests of its session, from 0, without gaps. */
  readonly ordinal: number
  readonly permissionId: PermissionId
  readonly runId: RunId
  readonly kind: string
  readonly description: string
  readonly toolCallId: string | null
  readonly rememberKey: string | null
  readonly metadata: Json
  readonly createdAt: number
  readonly state: PermissionState
}

/** True when the run may go on. */
export const isAllowed = ({ decision }: Resolution): boolean =>
  decision === 'ONCE' || decision === 'ALWAYS' || decision === 'GRANTED_BEFORE'
