import { asGenerationId, asScopeId, asSessionId, type SessionId } from '../../../kernel/ids.ts'
import type { CohortEntry } from '../../../domain/deletion/cohort.ts'
import { MAX_COHORT_ENTRIES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { mutationResult } from '../../mutation-result.ts'
import { valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { namedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'

const DeleteSessionInput = builder.inputType('DeleteSessionInput', {
  description: 'The session that is to be deleted with all below it.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    sessionId: t.id({
      required: true,
      validate: validId,
      description:
        'The session, also one of which the deletion has begun before: then that goes on, with its whole group. One that ' +
        'does not exist is NotFoundError.',
    }),
  }),
})

const DeleteSessionPayload = builder
  .objectRef<{ readonly deletedSessionIds: readonly SessionId[] }>('DeleteSessionPayload')
  .implement({
    description: 'Nothing of the sessions is left.',
    fields: (t) => ({
      deletedSessionIds: t.idList({
        description: 'The sessions that were deleted, children first.',
        resolve: ({ deletedSessionIds }) => [...deletedSessionIds],
      }),
    }),
  })

builder.mutationField('deleteSession', (t) =>
  t.field({
    type: mutationResult('DeleteSession', DeleteSessionPayload, commonRefusals),
    nullable: true,
    description:
      'Deletes a session and all sessions below it: stops their runs, cancels what waits, erases everything that is ' +
      'stored of them, and answers when that is done. Nobody can use them from the beginning of that on. When something ' +
      'cannot be released or erased the answer is an error, and calling again, or the next start, goes on.',
    args: { input: t.arg({ type: DeleteSessionInput, required: true, description: 'The session.' }) },
    resolve: async (_root, { input }, context) => {
      const { scopeId } = await namedScope(context, asScopeId(input.scopeId))
      const request = { scopeId, sessionId: asSessionId(input.sessionId) }
      return { deletedSessionIds: valueOf(await context.harness.deleteSession(request, context.caller)) }
    },
  }),
)

const CohortEntryInput = builder.inputType('CohortEntryInput', {
  description: 'One generation of a session, as `Session.cohort` shows it.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'The session.' }),
    generationId: t.id({ required: true, description: 'The id of its generation.' }),
    generationSequence: t.field({ type: 'SafeInt', required: true, description: 'Its sequence, at least 1.' }),
  }),
})

const DeleteCohortInput = builder.inputType('DeleteSessionGenerationCohortInput', {
  description: 'What is to be deleted, and what the caller knows of it.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    root: t.field({
      type: CohortEntryInput,
      required: true,
      description: 'The session that is to be deleted with all below it, in exactly this generation.',
    }),
    authorizedCohort: t.field({
      type: [CohortEntryInput],
      required: true,
      description:
        `All that may be deleted: 1 to ${MAX_COHORT_ENTRIES} entries, each session once, the root among them. Entries that ` +
        'no longer exist are ignored.',
    }),
  }),
})

const DeleteCohortPayload = builder
  .objectRef<{ readonly matched: boolean }>('DeleteSessionGenerationCohortPayload')
  .implement({
    description: 'Whether the root was there.',
    fields: (t) => ({
      matched: t.exposeBoolean('matched', {
        description:
          'True when nothing of the sessions is left; false, and nothing happened, when the root is not there in exactly ' +
          'its generation.',
      }),
    }),
  })

builder.mutationField('deleteSessionGenerationCohort', (t) =>
  t.field({
    type: mutationResult('DeleteSessionGenerationCohort', DeleteCohortPayload, [...commonRefusals, 'COHORT_MISMATCH']),
    nullable: true,
    description:
      'Deletes a session and all below it like `deleteSession`, if the caller authorises exactly what that deletes: a ' +
      'session that was created meanwhile, or created anew, is CohortMismatchError, and nothing happens. A root of which ' +
      'the deletion has begun needs its whole group, as `Scope.tombstones` shows it, and all below.',
    args: { input: t.arg({ type: DeleteCohortInput, required: true, description: 'The sessions.' }) },
    resolve: async (_root, { input }, context) => {
      const { scopeId } = await namedScope(context, asScopeId(input.scopeId))
      const request = { scopeId, root: entryOf(input.root), authorizedCohort: input.authorizedCohort.map(entryOf) }
      return { matched: valueOf(await context.harness.deleteSessionGenerationCohort(request, context.caller)) }
    },
  }),
)

const entryOf = (entry: typeof CohortEntryInput.$inferInput): CohortEntry => ({
  sessionId: asSessionId(entry.sessionId),
  generationId: asGenerationId(entry.generationId),
  generationSequence: entry.generationSequence,
})
