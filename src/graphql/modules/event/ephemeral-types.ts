import { ActivityKind } from '../session/enums.ts'
import { describe, eventRef, HarnessEvent } from './type.ts'
import type { Update } from './view.ts'

eventRef<Update<'activity'>['activity']>('session.activity').implement({
  description: describe('session.activity'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    kind: t.field({ type: ActivityKind, description: 'What the session does now.', resolve: ({ body }) => body.kind }),
    runId: t.id({
      nullable: true,
      description: 'The run that does it; null when none is active.',
      resolve: ({ body }) => body.runId,
    }),
    since: t.field({ type: 'DateTime', description: 'When it began with it.', resolve: ({ body }) => body.since }),
  }),
})

eventRef<Update<'advanced'>>('cursor.advanced').implement({
  description: describe('cursor.advanced'),
  interfaces: [HarnessEvent],
})
