import { MAX_ERROR_MESSAGE_BYTES, MAX_REMEMBER_KEY_BYTES } from '../../../domain/limits.ts'
import { asPermissionId, asScopeId, asSessionId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { mutationResult } from '../../mutation-result.ts'
import { noSuch, valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { Grant, Permission } from '../../refs.ts'
import { namedScope } from '../../scope-access.ts'
import { validId, validMessage, validRememberKey } from '../../validated.ts'
import { type GrantView, type PermissionView, permissionView, refOf } from '../../views.ts'
import { PermissionDecision } from './enums.ts'

const RespondToPermissionInput = builder.inputType('RespondToPermissionInput', {
  description: 'An answer to a request for permission.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    permissionId: t.id({
      required: true,
      validate: validId,
      description: 'The request. One that does not exist is NotFoundError, one that is decided PermissionStateError.',
    }),
    decision: t.field({ type: PermissionDecision, required: true, description: 'What is decided.' }),
    message: t.string({
      validate: validMessage,
      description:
        'With REJECT only: denies this alone instead of stopping the run, and is what the model is told. Not empty, ' +
        `at most ${MAX_ERROR_MESSAGE_BYTES} UTF-8 bytes.`,
    }),
  }),
})

const RespondToPermissionPayload = builder
  .objectRef<{ readonly permission: PermissionView }>('RespondToPermissionPayload')
  .implement({
    description: 'The answer is durable, and the run goes on or stops.',
    fields: (t) => ({
      permission: t.expose('permission', { type: Permission, description: 'The request with its answer.' }),
    }),
  })

const RevokeGrantInput = builder.inputType('RevokeGrantInput', {
  description: 'The ALWAYS that is to be taken back.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    sessionId: t.id({
      required: true,
      validate: validId,
      description:
        'The session in which it is stored, as `Grant.session` says. One that does not exist, or has no such grant ' +
        'of its own, is NotFoundError.',
    }),
    rememberKey: t.string({
      required: true,
      validate: validRememberKey,
      description: `What it is remembered under. Not empty, at most ${MAX_REMEMBER_KEY_BYTES} UTF-8 bytes.`,
    }),
  }),
})

const RevokeGrantPayload = builder.objectRef<{ readonly grant: GrantView }>('RevokeGrantPayload').implement({
  description: 'It is taken back: the next request asks again. What it has let pass goes on.',
  fields: (t) => ({ grant: t.expose('grant', { type: Grant, description: 'The grant as it was.' }) }),
})

builder.mutationFields((t) => ({
  respondToPermission: t.field({
    type: mutationResult('RespondToPermission', RespondToPermissionPayload, [...commonRefusals, 'PERMISSION_STATE']),
    nullable: true,
    description: 'Decides what a run asks. The first answer counts.',
    args: { input: t.arg({ type: RespondToPermissionInput, required: true, description: 'The answer.' }) },
    resolve: async (_root, { input }, context) => {
      const scope = refOf(await namedScope(context, asScopeId(input.scopeId)))
      if (!scope) throw noSuch('permission', input.permissionId)
      const { decision, message } = input
      const request = {
        scopeId: scope.scopeId,
        permissionId: asPermissionId(input.permissionId),
        decision,
        ...(message != null && { message }),
      }
      const row = valueOf(await context.harness.respondToPermission(request, context.caller))
      return { permission: permissionView(scope, row) }
    },
  }),
  revokeGrant: t.field({
    type: mutationResult('RevokeGrant', RevokeGrantPayload, commonRefusals),
    nullable: true,
    description: 'Takes an ALWAYS back.',
    args: { input: t.arg({ type: RevokeGrantInput, required: true, description: 'The grant.' }) },
    resolve: async (_root, { input }, context) => {
      const scope = refOf(await namedScope(context, asScopeId(input.scopeId)))
      if (!scope) throw noSuch('session', input.sessionId)
      const { scopeId } = scope
      const request = { scopeId, sessionId: asSessionId(input.sessionId), rememberKey: input.rememberKey }
      const row = valueOf(await context.harness.revokeGrant(request, context.caller))
      return { grant: { scope, row } }
    },
  }),
}))
