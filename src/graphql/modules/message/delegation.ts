import { builder } from '../../builder.ts'
import { QueueEntry, Session } from '../../refs.ts'
import { queueEntryView, sessionView } from '../../views.ts'
import { Model } from '../harness/type.ts'
import { ToolPart } from './tool-part.ts'

builder.objectFields(ToolPart, (t) => ({
  childSession: t.field({
    type: Session,
    nullable: true,
    description:
      'The session to which a call of `delegate` has given its task, as it is now; null for all other calls, before ' +
      'there is one, and once it is gone.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const { child } = row.body
      const session = child && (await reads.sessions.byKey.load(child.sessionKey))
      return session && sessionView(scope, session)
    },
  }),
  childEntry: t.field({
    type: QueueEntry,
    nullable: true,
    description: 'The prompt in that session that the call waits for, as it is now; null where `childSession` is null.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const { child } = row.body
      const entry = child && (await reads.queue.byId.load(child.queueId))
      return entry && queueEntryView(scope, entry)
    },
  }),
  model: t.field({
    type: Model,
    nullable: true,
    description:
      'The model that worked for a call of `delegate`, also when it failed; null for all other calls, before the end, ' +
      'and when there was none.',
    resolve: ({ row }) => row.body.child?.model ?? null,
  }),
}))
