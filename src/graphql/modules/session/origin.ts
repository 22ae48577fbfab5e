import type { Origin as Call } from '../../../domain/session/session.ts'
import { builder } from '../../builder.ts'

export const Origin = builder.objectRef<Call>('Origin').implement({
  description: 'A call of a run that delegated to a child session: the one that created it, or that a prompt is executed for.',
  fields: (t) => ({
    parentRunId: t.exposeID('parentRunId', { description: 'The run of the parent session that made the call.' }),
    parentToolCallId: t.exposeID('parentToolCallId', { description: 'The call within that run.' }),
  }),
})
