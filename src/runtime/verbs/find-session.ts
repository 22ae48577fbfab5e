import { notFound, type RefusalOf } from '../../kernel/refusal.ts'
import type { ScopeId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { LifecycleRefusal } from '../../domain/scope/lifecycle.ts'
import type { Caller } from '../harness.ts'
import type { ScopeLife } from '../scope-life.ts'
import type { VerbDeps } from './deps.ts'

export type Found =
  | {
      readonly kind: 'found'
      readonly scopeKey: ScopeKey
      /** Of the scope, as it was when the session was found. */
      readonly life: ScopeLife
      readonly key: SessionKey
      readonly context: unknown
    }
  | { readonly kind: 'refused'; readonly refusal: RefusalOf<'NOT_FOUND'> | LifecycleRefusal }

/**
 * The session that a caller names, if its scope takes work. A scope that is refused looks like one without that session.
 */
export async function findSession(
  { scopes, lives, stores }: VerbDeps,
  { scopeId, sessionId }: { readonly scopeId: ScopeId; readonly sessionId: SessionId },
  caller: Caller,
): Promise<Found> {
  const missing = { kind: 'refused', refusal: notFound('session', sessionId) } as const
  const resolved = await scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await scopes.keyOf(resolved.storageKey))
  if (!resolved || scopeKey === undefined) return missing
  const life = lives.of(scopeKey)
  const session = await stores.sessions.find(scopeKey, sessionId)
  if (!session) return missing
  const { refusal } = life
  if (refusal) return { kind: 'refused', refusal }
  return { kind: 'found', scopeKey, life, key: session.key, context: resolved.context }
}
