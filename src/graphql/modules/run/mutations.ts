import { asRunId, asScopeId, asSessionId, type RunId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { mutationResult } from '../../mutation-result.ts'
import { valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { namedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'

const AbortRunInput = builder.inputType('AbortRunInput', {
  description: 'The run that is to be stopped.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    sessionId: t.id({
      required: true,
      validate: validId,
      description: 'The session. One that does not exist is NotFoundError.',
    }),
    runId: t.id({ validate: validId, description: 'Only this run; the active one, whichever it is, when absent.' }),
  }),
})

const AbortRunPayload = builder.objectRef<{ readonly runId: RunId | null }>('AbortRunPayload').implement({
  description: 'Whether a run was asked to stop. The request is durable; the run ends soon after, as CANCELLED.',
  fields: (t) => ({
    aborted: t.boolean({
      description: 'False when nothing ran that could still be stopped.',
      resolve: ({ runId }) => runId !== null,
    }),
    runId: t.id({
      nullable: true,
      description: 'The run that was asked to stop; null when none was.',
      resolve: ({ runId }) => runId,
    }),
  }),
})

builder.mutationField('abortRun', (t) =>
  t.field({
    type: mutationResult('AbortRun', AbortRunPayload, commonRefusals),
    nullable: true,
    description: 'Stops the active run of a session. Does not touch its queue: the next prompt starts.',
    args: { input: t.arg({ type: AbortRunInput, required: true, description: 'The run.' }) },
    resolve: async (_root, { input }, context) => {
      const { scopeId } = await namedScope(context, asScopeId(input.scopeId))
      const sessionId = asSessionId(input.sessionId)
      const request = input.runId == null ? { scopeId, sessionId } : { scopeId, sessionId, runId: asRunId(input.runId) }
      return { runId: valueOf(await context.harness.abortRun(request, context.caller)) }
    },
  }),
)
