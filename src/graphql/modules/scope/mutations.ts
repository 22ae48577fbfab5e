import { asScopeId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { mutationResult } from '../../mutation-result.ts'
import { valueOf } from '../../refusal-error.ts'
import { Scope } from '../../refs.ts'
import { namedScope, viewOf } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import type { ScopeView } from '../../views.ts'

const RetireScopeInput = builder.inputType('RetireScopeInput', {
  description: 'The scope that is to be retired.',
  fields: (t) => ({
    scopeId: t.id({
      required: true,
      validate: validId,
      description: 'The scope, by any of the ids that stand for it. It is retired under all of them.',
    }),
  }),
})

const RetireScopePayload = builder.objectRef<{ readonly scope: ScopeView }>('RetireScopePayload').implement({
  description: 'Nothing of the scope goes on any more. Its data is there.',
  fields: (t) => ({ scope: t.expose('scope', { type: Scope, description: 'The scope.' }) }),
})

const refusals = ['VALIDATION_FAILED', 'NOT_FOUND', 'FORBIDDEN', 'SCOPE_FENCED', 'SHUTTING_DOWN'] as const

builder.mutationField('retireScope', (t) =>
  t.field({
    type: mutationResult('RetireScope', RetireScopePayload, refusals),
    nullable: true,
    description:
      'Cancels all that waits and runs in a scope, ends its subscriptions after their last event, and answers when that ' +
      'is done. Its data stays, and its next use begins afresh. Calls at the same time are one. A scope that is fenced ' +
      'and stays so is ScopeFencedError: it takes no work from then on, and calling again goes on.',
    args: { input: t.arg({ type: RetireScopeInput, required: true, description: 'The scope.' }) },
    resolve: async (_root, { input }, context) => {
      const { scopeId } = await namedScope(context, asScopeId(input.scopeId))
      return { scope: viewOf(valueOf(await context.harness.retireScope({ scopeId }, context.caller))) }
    },
  }),
)
