import type { ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule } from '../../domain/input-rules.ts'
import { reserve } from '../deletion/reserve.ts'
import type { Caller, CommonRefusal, DeleteSession } from '../harness.ts'
import type { ScopeLife } from '../scope-life.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'

const MAX_TRIES = 5

/**
 * Deletes a session with all below it, or goes on with a deletion that has begun. Answers when nothing of them is left, with
 * their ids, children first. What it throws leaves them deleted for everybody, or untouched; calling again goes on.
 */
export async function deleteSession(
  deps: VerbDeps,
  input: DeleteSession,
  caller: Caller,
): Promise<Answer<readonly SessionId[], CommonRefusal>> {
  const { scopeId, sessionId } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['sessionId'], sessionId, idRule),
  ])
  if (refusal) return no(refusal)
  const resolved = await deps.scopes.resolve(scopeId, caller.principal)
  const scopeKey = resolved && (await deps.scopes.keyOf(resolved.storageKey))
  if (scopeKey === undefined) return no(notFound('session', sessionId))
  const life = deps.lives.of(scopeKey)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await attempt(deps, { scopeKey, life, sessionId, by: caller.principal })
    if (answer) return answer
  }
  return no(contended)
}

interface Deletion {
  readonly scopeKey: ScopeKey
  readonly life: ScopeLife
  readonly sessionId: SessionId
  readonly by: string
}

/** Undefined when somebody else was faster: then look again. */
async function attempt(
  deps: VerbDeps,
  { scopeKey, life, sessionId, by }: Deletion,
): Promise<Answer<readonly SessionId[], CommonRefusal> | undefined> {
  const slot = await deps.stores.structure.slot(scopeKey, sessionId)
  switch (slot.kind) {
    case 'absent':
      return no(notFound('session', sessionId))
    case 'tombstoned':
      return life.refusal ? no(life.refusal) : done(await finished(deps, scopeKey, slot.group))
    case 'live': {
      const { key } = slot
      const reserved = await reserve<never>(deps, { scopeKey, life, key, by, unless: () => undefined })
      if (reserved.kind === 'gone') return undefined
      if (reserved.kind === 'refused') return no(reserved.refusal)
      return reserved.kind === 'contended' ? no(contended) : done(await finished(deps, scopeKey, key))
    }
  }
}

async function finished(
  { deletions }: VerbDeps,
  scopeKey: ScopeKey,
  group: SessionKey,
): Promise<readonly SessionId[]> {
  return (await deletions.finish(scopeKey, group)).map(({ sessionId }) => sessionId)
}
