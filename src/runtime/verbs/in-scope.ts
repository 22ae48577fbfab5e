import type { RefusalOf } from '../../kernel/refusal.ts'
import type { ScopeId, SessionKey } from '../../kernel/ids.ts'
import type { LifecycleRefusal } from '../../domain/scope/lifecycle.ts'
import type { Caller } from '../harness.ts'
import type { ScopeLife } from '../scope-life.ts'
import type { VerbDeps } from './deps.ts'

export type FoundRow<Row> =
  | { readonly kind: 'found'; readonly row: Row; readonly life: ScopeLife }
  | { readonly kind: 'refused'; readonly refusal: RefusalOf<'NOT_FOUND'> | LifecycleRefusal }

interface Looked<Row> {
  readonly scopeId: ScopeId
  readonly caller: Caller
  readonly missing: RefusalOf<'NOT_FOUND'>
  readonly find: () => Promise<readonly Row[]>
}

/**
 * What a caller names by an id of its own, if it belongs to a session of the scope and the scope takes work. A scope that is
 * refused, and what belongs to another one, look like what is not there.
 */
export async function inScope<Row extends { readonly sessionKey: SessionKey }>(
  { scopes, lives, stores }: VerbDeps,
  { scopeId, caller, missing, find }: Looked<Row>,
): Promise<FoundRow<Row>> {
  const nowhere = { kind: 'refused', refusal: missing } as const
  const resolved = await scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await scopes.keyOf(resolved.storageKey))
  if (scopeKey === undefined) return nowhere
  const life = lives.of(scopeKey)
  const [row] = await find()
  const [session] = row ? await stores.sessions.findMany([row.sessionKey]) : []
  if (!row || session?.scopeKey !== scopeKey) return nowhere
  const { refusal } = life
  return refusal ? { kind: 'refused', refusal } : { kind: 'found', row, life }
}
