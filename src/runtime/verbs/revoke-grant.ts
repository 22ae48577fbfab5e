import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule, rememberKeyRule } from '../../domain/input-rules.ts'
import type { Grant } from '../../domain/permission/grant.ts'
import type { Caller, CommonRefusal, RevokeGrant } from '../harness.ts'
import type { Plan } from '../session-actor.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { findSession } from './find-session.ts'

/** Takes an `ALWAYS` back. What it has allowed already goes on. */
export async function revokeGrant(
  deps: VerbDeps,
  input: RevokeGrant,
  caller: Caller,
): Promise<Answer<Grant, CommonRefusal>> {
  const { scopeId, sessionId, rememberKey } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['sessionId'], sessionId, idRule),
    ...checked(['rememberKey'], rememberKey, rememberKeyRule),
  ])
  if (refusal) return no(refusal)
  const found = await findSession(deps, input, caller)
  if (found.kind === 'refused') return no(found.refusal)
  let revoked: Grant | undefined
  const change = await deps.sessions.actor(found.key).transact(async ({ session }): Promise<Plan<null>> => {
    const grants = await deps.stores.permissions.grants([session.key])
    revoked = grants.find((grant) => grant.rememberKey === rememberKey)
    if (!revoked) return { kind: 'answer', value: null }
    const command = { type: 'revokeGrant', grant: revoked, at: deps.clock.now() } as const
    return { kind: 'change', commands: [command], unless: () => found.life.refusal }
  })
  if (change.kind === 'contended') return no(contended)
  if (change.kind === 'denied') return no(change.refusal)
  return change.kind === 'changed' && revoked ? done(revoked) : no(notFound('grant', rememberKey))
}
