import { MAX_EXECUTIONS_SHOWN } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Run, Session, UncertainToolExecution } from '../../refs.ts'
import { executionView, runView, sessionView } from '../../views.ts'

UncertainToolExecution.implement({
  description:
    'A call of a tool that was begun, and of which nobody knew how it ended: its process died, or it did not obey ' +
    'when it was stopped. It may have happened.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, row }) =>
        nodeId({ type: 'UncertainToolExecution', scopeId: scope.scopeId, id: row.intentId }),
    }),
    intentId: t.id({ description: 'Its id within the scope.', resolve: ({ row }) => row.intentId }),
    toolName: t.string({ description: 'The tool.', resolve: ({ row }) => row.toolName }),
    toolCallId: t.id({ description: 'The id of the call within its run.', resolve: ({ row }) => row.toolCallId }),
    input: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the model gave to it; null when that is null, and once the message is gone.',
      resolve: async ({ row }, _args, { reads }) => {
        const { sessionKey, messageIndex: index, partIndex } = row
        const part = await reads.messages.part.load({ sessionKey, index, partIndex })
        return part?.body.kind === 'tool' ? part.body.input : null
      },
    }),
    startedAt: t.field({ type: 'DateTime', description: 'When it began.', resolve: ({ row }) => row.startedAt }),
    uncertainSince: t.field({
      type: 'DateTime',
      description: 'When its end was given up.',
      resolve: ({ row }) => row.uncertainSince,
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session whose run made the call; null once it is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const session = await reads.sessions.byKey.load(row.sessionKey)
        return session && sessionView(scope, session)
      },
    }),
    runId: t.id({ description: 'The run that made the call.', resolve: ({ row }) => row.runId }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run that made the call; null once it is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const run = await reads.runs.byId.load(row.runId)
        return run && runView(scope, run)
      },
    }),
  }),
})

builder.objectField(Session, 'uncertainToolExecutions', (t) =>
  t.field({
    type: [UncertainToolExecution],
    description:
      'Its calls of tools that may have happened and that nobody has reconciled, oldest first, at most ' +
      `${MAX_EXECUTIONS_SHOWN}.`,
    resolve: async ({ scope, row }, _args, { reads }) => {
      const rows = await reads.executions.uncertain.load(row.key)
      return rows.map((execution) => executionView(scope, execution))
    },
  }),
)
