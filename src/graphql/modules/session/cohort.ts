import type { CohortEntry } from '../../../domain/deletion/cohort.ts'
import { MAX_COHORT_ENTRIES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import { Session } from '../../refs.ts'
import type { SessionView } from '../../views.ts'

const PAGE = 2000

interface After {
  readonly after?: string
}

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
      `there are more than ${MAX_COHORT_ENTRIES}.`,
    resolve: (session, _args, context) => cohortOf(session, context),
  }),
)

async function cohortOf({ row }: SessionView, { harness }: GraphQLContext): Promise<readonly CohortEntry[] | null> {
  const { structure } = harness.stores
  const about = { scopeKey: row.scopeKey, path: row.place.path }
  const entries: CohortEntry[] = []
  const lists = [
    (after: After) => structure.members({ ...about, limit: PAGE, ...after }),
    // After the living: who dies in between is named twice at worst.
    (after: After) => structure.tombstones({ ...about, limit: PAGE, ...after }),
  ]
  for (const list of lists) {
    for (let after: After = {}; ; ) {
      const page = await list(after)
      for (const { sessionId, generation } of page) entries.push({ sessionId, ...generation })
      if (entries.length > MAX_COHORT_ENTRIES) return null
      const last = page.at(-1)
      if (!last || page.length < PAGE) break
      after = { after: last.path }
    }
  }
  return [...new Map(entries.map((entry) => [entry.generationSequence, entry])).values()]
}
