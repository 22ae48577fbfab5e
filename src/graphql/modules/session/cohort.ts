import type { CohortEntry } from '../../../domain/deletion/cohort.ts'
import { MAX_COHORT_ENTRIES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { Session } from '../../refs.ts'
import { MAX_COHORTS } from './tombstone-loaders.ts'

const CohortEntryType = builder.objectRef<CohortEntry>('CohortEntry').implement({
  description: 'One generation of a session: what `deleteSessionGenerationCohort` takes.',
  fields: (t) => ({
    sessionId: t.exposeID('sessionId', { description: 'The session.' }),
    generationId: t.exposeID('generationId', { description: 'The id of its generation.' }),
    generationSequence: t.expose('generationSequence', {
      type: 'SafeInt',
      description: 'The revision of the scope that created it.',
    }),
  }),
})

builder.objectField(Session, 'cohort', (t) =>
  t.field({
    type: [CohortEntryType],
    nullable: true,
    description:
      'What would be deleted with it: the exact generations of the session, of all sessions below it, and of those below ' +
      'it that are being deleted already, parents first. `deleteSessionGenerationCohort` takes it as it is. Null when ' +
      `there are more than ${MAX_COHORT_ENTRIES}. Of more than ${MAX_COHORTS} sessions at once it is VALIDATION_FAILED.`,
    resolve: ({ scope, row }, _args, { reads }) =>
      reads.tombstones.cohort.load({ scopeKey: scope.key, path: row.place.path }),
  }),
)
