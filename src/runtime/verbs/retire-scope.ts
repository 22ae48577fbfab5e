import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule } from '../../domain/input-rules.ts'
import type { Caller, CommonRefusal, OpenScope, RetireScope } from '../harness.ts'
import { checked, refusedFor } from './check.ts'
import type { VerbDeps } from './deps.ts'

/** Retires what the id stands for, under all its ids. Answers when nothing of it goes on any more. */
export async function retireScope(
  { scopes, retirements }: VerbDeps,
  { scopeId }: RetireScope,
  caller: Caller,
): Promise<Answer<OpenScope, CommonRefusal>> {
  const refusal = refusedFor(checked(['scopeId'], scopeId, idRule))
  if (refusal) return no(refusal)
  const resolved = await scopes.resolve(scopeId, caller.principal)
  if (!resolved) return no(notFound('scope', scopeId))
  const { storageKey } = resolved
  const scopeKey = await scopes.keyOf(storageKey)
  // Where nothing was stored nothing can go on.
  const retired = scopeKey === undefined ? done(null) : await retirements.retire(scopeKey, caller.principal)
  if (!retired.ok) return retired
  scopes.forget(storageKey)
  return done({ scopeId, storageKey, scope: (await scopes.findNamed([storageKey])).get(storageKey), lifecycle: 'retired' })
}
