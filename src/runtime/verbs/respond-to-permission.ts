import { type Answer, done, no, notFound, type RefusalOf } from '../../kernel/refusal.ts'
import { idRule, messageRule } from '../../domain/input-rules.ts'
import type { Permission } from '../../domain/permission/permission.ts'
import type { RespondToPermission } from '../../domain/session/commands.ts'
import type { AnswerPermission, Caller, CommonRefusal } from '../harness.ts'
import type { Plan } from '../session-actor.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { expected } from './expected.ts'
import { inScope } from './in-scope.ts'

type Responded = Answer<Permission, CommonRefusal | RefusalOf<'PERMISSION_STATE'>>

/** Answers a request. The answer is durable before the run goes on; if it cannot be stored the request still waits. */
export async function respondToPermission(
  deps: VerbDeps,
  input: AnswerPermission,
  caller: Caller,
): Promise<Responded> {
  const { scopeId, permissionId, decision, message } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['permissionId'], permissionId, idRule),
    ...checked(['message'], message, messageRule),
    ...checked(['message'], message, () => (decision === 'REJECT' ? undefined : 'goes with REJECT only')),
  ])
  if (refusal) return no(refusal)
  const { permissions } = deps.stores
  const missing = notFound('permission', permissionId)
  const found = await inScope(deps, { scopeId, caller, missing, find: () => permissions.findMany([permissionId]) })
  if (found.kind === 'refused') return no(found.refusal)
  const { row: permission, life } = found
  const change = await deps.sessions.actor(permission.sessionKey).transact(async ({ session }): Promise<Plan<never>> => {
    const own = decision === 'ALWAYS' ? await permissions.grants([session.key]) : []
    const granted = own.some(({ rememberKey }) => rememberKey === permission.rememberKey) ? 'before' : 'not yet'
    const commands = [answerOf(deps, { input, granted, by: caller.principal })] as const
    return { kind: 'change', commands, unless: () => life.refusal }
  })
  switch (change.kind) {
    case 'changed': {
      const [resolved = permission] = await permissions.findMany([permissionId])
      return done(resolved)
    }
    case 'refused':
      return no(expected(change.refusal, 'PERMISSION_STATE', 'VALIDATION_FAILED'))
    case 'denied':
      return no(change.refusal)
    case 'contended':
      return no(contended)
    case 'gone':
    case 'answered':
    case 'unchanged':
      return no(missing)
  }
}

function answerOf(
  { clock }: VerbDeps,
  { input, granted, by }: { input: AnswerPermission; granted: 'before' | 'not yet'; by: string },
): RespondToPermission {
  const { permissionId, decision, message = null } = input
  return { type: 'respond', permissionId, decision, message, granted, by, at: clock.now() }
}
