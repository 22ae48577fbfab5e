import { builder } from '../../builder.ts'
import { QueueEntry } from '../../refs.ts'
import { queueEntryView } from '../../views.ts'
import { ToolPart } from './tool-part.ts'

builder.objectField(ToolPart, 'childEntry', (t) =>
  t.field({
    type: QueueEntry,
    nullable: true,
    description: 'The prompt in `childSession` that the call waits for, as it is now; null where `childSession` is null.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const { child } = row.body
      const entry = child && (await reads.queue.byId.load(child.queueId))
      return entry && queueEntryView(scope, entry)
    },
  }),
)
