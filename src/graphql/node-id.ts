import { idRule } from '../domain/input-rules.ts'
import {
  asScopeId,
  type IntentId,
  type MessageId,
  type PermissionId,
  type QueueId,
  type RunId,
  type ScopeId,
  type SessionId,
} from '../kernel/ids.ts'

/** What a global id names: something of a scope, as the caller calls that scope. */
export type NodeAddress =
  | { readonly type: 'Scope'; readonly scopeId: ScopeId }
  | { readonly type: 'Session'; readonly scopeId: ScopeId; readonly id: SessionId }
  | { readonly type: 'Run'; readonly scopeId: ScopeId; readonly id: RunId }
  | { readonly type: 'Message'; readonly scopeId: ScopeId; readonly id: MessageId }
  | { readonly type: 'QueueEntry'; readonly scopeId: ScopeId; readonly id: QueueId }
  | { readonly type: 'Permission'; readonly scopeId: ScopeId; readonly id: PermissionId }
  | { readonly type: 'UncertainToolExecution'; readonly scopeId: ScopeId; readonly id: IntentId }

const OWNED = ['Session', 'Run', 'Message', 'QueueEntry', 'Permission', 'UncertainToolExecution'] as const

/**
 * A global id such as `Session:default/abc`: the type, then scope and own id, each percent-encoded, so that it is ASCII
 * and no two addresses share one. Total for ids that `idRule` accepts.
 */
export function nodeId(address: NodeAddress): string {
  const scope = encodeURIComponent(address.scopeId)
  return address.type === 'Scope' ? `Scope:${scope}` : `${address.type}:${scope}/${encodeURIComponent(address.id)}`
}

/** The address that `nodeId` gave this id for; undefined for everything else, whatever it is. */
export function parseNodeId(text: string): NodeAddress | undefined {
  const colon = text.indexOf(':')
  const type = text.slice(0, colon)
  const [scopeId, id, ...rest] = text
    .slice(colon + 1)
    .split('/')
    .map(decoded)
  if (colon < 0 || scopeId === undefined || rest.length > 0) return undefined
  const address = addressOf(type, scopeId, id)
  return address && nodeId(address) === text ? address : undefined
}

function addressOf(type: string, scopeId: string, id: string | undefined): NodeAddress | undefined {
  if (type === 'Scope') return id === undefined ? { type, scopeId: asScopeId(scopeId) } : undefined
  const owned = OWNED.find((name) => name === type)
  return owned && id !== undefined ? ({ type: owned, scopeId, id } as NodeAddress) : undefined
}

/** Undefined for what no id is encoded as. */
function decoded(segment: string): string | undefined {
  try {
    const id = decodeURIComponent(segment)
    return idRule(id) === undefined ? id : undefined
  } catch {
    return undefined
  }
}
