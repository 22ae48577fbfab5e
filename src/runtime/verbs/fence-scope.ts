import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { fenceReasonRule, idRule } from '../../domain/input-rules.ts'
import type { Caller, CommonRefusal, FenceScope } from '../harness.ts'
import { checked, refusedFor } from './check.ts'
import type { VerbDeps } from './deps.ts'

/** Fences what the id stands for, under all its ids. Answers at once; the scope is restored in the background. */
export async function fenceScope(
  { scopes, fences }: VerbDeps,
  { scopeId, reason }: FenceScope,
  caller: Caller,
): Promise<Answer<null, CommonRefusal>> {
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['reason'], reason, fenceReasonRule),
  ])
  if (refusal) return no(refusal)
  const resolved = await scopes.resolve(scopeId, caller.principal)
  if (!resolved) return no(notFound('scope', scopeId))
  fences.raise(await scopes.ensureKey(resolved.storageKey), reason)
  return done(null)
}
