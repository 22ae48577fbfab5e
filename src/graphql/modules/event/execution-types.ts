import { builder } from '../../builder.ts'
import { UncertainToolExecution } from '../../refs.ts'
import { ReconciliationOutcome } from '../execution/enums.ts'
import { liveExecution } from './live-fields.ts'
import { objectName } from './names.ts'
import { describe, eventRef, HarnessEvent } from './type.ts'
import type { BodyOf, EventView } from './view.ts'

const ToolExecutionEvent = builder
  .interfaceRef<EventView<BodyOf<'tool.uncertain' | 'tool.reconciled'>>>('ToolExecutionEvent')
  .implement({
    description: 'Something that became known of a call of a tool.',
    interfaces: [HarnessEvent],
    resolveType: ({ name }) => objectName(name),
    fields: (t) => ({
      runId: t.id({ nullable: true, description: 'The run that made the call.', resolve: ({ body }) => body.runId }),
      intentId: t.id({ description: 'The execution.', resolve: ({ body }) => body.intentId }),
      toolCallId: t.id({ description: 'The id of the call within its run.', resolve: ({ body }) => body.toolCallId }),
      toolName: t.string({ description: 'The tool.', resolve: ({ body }) => body.toolName }),
      execution: t.field({
        type: UncertainToolExecution,
        nullable: true,
        description: 'The execution as it is now; null once it is gone.',
        resolve: (event, _args, context) => liveExecution(event, context),
      }),
    }),
  })

eventRef<BodyOf<'tool.uncertain'>>('tool.uncertain').implement({
  description: describe('tool.uncertain'),
  interfaces: [HarnessEvent, ToolExecutionEvent],
})

eventRef<BodyOf<'tool.reconciled'>>('tool.reconciled').implement({
  description: describe('tool.reconciled'),
  interfaces: [HarnessEvent, ToolExecutionEvent],
  fields: (t) => ({
    outcome: t.field({
      type: ReconciliationOutcome,
      description: 'What became of it.',
      resolve: ({ body }) => body.outcome,
    }),
    reconciledBy: t.string({ description: 'The principal who said so.', resolve: ({ body }) => body.by }),
  }),
})
