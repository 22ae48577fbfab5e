import { messageIdOf } from '../../../kernel/ids.ts'
import { MAX_ATTEMPTS } from '../../../domain/limits.ts'
import { errorOf } from '../../../domain/run/outcome.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { QueueEntry, Run, Session } from '../../refs.ts'
import { queueEntryView, type RunView, sessionView } from '../../views.ts'
import { Model } from '../harness/type.ts'
import { phaseOf, RunPhase, RunStatus, statusOf } from './enums.ts'
import { Failure } from './failure.ts'
import { Usage } from './usage.ts'

Run.implement({
  description: 'The execution of one prompt: model calls until an outcome.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, row }) => nodeId({ type: 'Run', scopeId: scope.scopeId, id: row.runId }),
    }),
    runId: t.id({ description: 'Its id within the scope.', resolve: ({ row }) => row.runId }),
    queueId: t.id({ description: 'The queue entry whose prompt it executes.', resolve: ({ row }) => row.queueId }),
    entry: t.field({
      type: QueueEntry,
      nullable: true,
      description: 'The queue entry whose prompt it executes; null once that is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const entry = await reads.queue.byId.load(row.queueId)
        return entry && queueEntryView(scope, entry)
      },
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session that it belongs to; null once that is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const session = await reads.sessions.byKey.load(row.sessionKey)
        return session && sessionView(scope, session)
      },
    }),
    status: t.field({
      type: RunStatus,
      description: 'Whether it goes on, or how it ended.',
      resolve: ({ row }) => statusOf(row.state),
    }),
    phase: t.field({ type: RunPhase, description: 'How far it has come.', resolve: ({ row }) => phaseOf(row.state) }),
    error: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it failed or was cancelled; null while it runs and when it completed.',
      resolve: ({ row }) => (row.state.kind === 'finished' ? errorOf(row.state.outcome) : null),
    }),
    model: t.field({
      type: Model,
      nullable: true,
      description: 'The model that answers; null until it is found.',
      resolve: ({ row }) => row.model,
    }),
    attempts: t.field({
      type: 'NonNegativeInt',
      description: `How often it was begun: once more each time that its process stopped, at most ${MAX_ATTEMPTS} times.`,
      resolve: ({ row }) => row.attempts,
    }),
    steps: t.field({ type: 'NonNegativeInt', description: 'Finished model calls.', resolve: ({ row }) => row.steps }),
    usage: t.field({
      type: Usage,
      description: 'Tokens of its finished model calls.',
      resolve: ({ row }) => row.usage,
    }),
    userMessageId: t.id({
      description: 'The message that holds its prompt.',
      resolve: ({ row }) => messageIdOf(row.runId, 0),
    }),
    assistantMessageId: t.id({
      description: 'The message that holds its answer.',
      resolve: ({ row }) => messageIdOf(row.runId, 1),
    }),
    startedAt: t.field({ type: 'DateTime', description: 'When it began.', resolve: ({ row }) => row.startedAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
      resolve: finishedAt,
    }),
  }),
})

function finishedAt({ row }: RunView): number | null {
  return row.state.kind === 'finished' ? row.state.at : null
}
