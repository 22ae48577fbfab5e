import { notFound, type RefusalOf } from '../../kernel/refusal.ts'
import type { ScopeId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Caller } from '../harness.ts'
import type { VerbDeps } from './deps.ts'

export type Found =
  | { readonly kind: 'found'; readonly scopeKey: ScopeKey; readonly key: SessionKey; readonly context: unknown }
  | { readonly kind: 'missing'; readonly refusal: RefusalOf<'NOT_FOUND'> }

/** The session that a caller names. A scope that is refused looks like one without that session. */
export async function findSession(
  { scopes, stores }: VerbDeps,
  { scopeId, sessionId }: { readonly scopeId: ScopeId; readonly sessionId: SessionId },
  caller: Caller,
): Promise<Found> {
  const missing = { kind: 'missing', refusal: notFound('session', sessionId) } as const
  const resolved = await scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await scopes.keyOf(resolved.storageKey))
  const session = scopeKey && (await stores.sessions.find(scopeKey, sessionId))
  return session && resolved ? { kind: 'found', scopeKey, key: session.key, context: resolved.context } : missing
}
