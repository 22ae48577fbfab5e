import type { EntryStatus } from '../../../domain/prompt/entry.ts'
import { MAX_FINISHED_ENTRIES_SHOWN, MAX_ID_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { QueueEntry, Run, Session } from '../../refs.ts'
import { queueEntryView, runView, sessionView } from '../../views.ts'
import { Failure } from '../run/failure.ts'
import { Origin } from '../session/origin.ts'

const QueueEntryStatus = builder.enumType('QueueEntryStatus', {
  description: 'How far a prompt has come.',
  values: {
    QUEUED: { description: 'It waits.' },
    STARTED: { description: 'It has a run.' },
    RUNNING: { description: 'Its run works.' },
    COMPLETED: { description: 'Its run completed.' },
    FAILED: { description: 'Its run failed, or it could not be run; see `error`.' },
    CANCELLED: { description: 'It was cancelled, or its run was stopped; see `error`.' },
  } satisfies Record<EntryStatus, { description: string }>,
})

QueueEntry.implement({
  description: "A prompt's place in the queue of its session.",
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, entry }) => nodeId({ type: 'QueueEntry', scopeId: scope.scopeId, id: entry.queueId }),
    }),
    queueId: t.id({ description: 'Its id within the scope.', resolve: ({ entry }) => entry.queueId }),
    status: t.field({
      type: QueueEntryStatus,
      description: 'How far it has come.',
      resolve: ({ entry }) => entry.status,
    }),
    runId: t.id({
      nullable: true,
      description: 'Its run; null as long as it waits, and when it never ran.',
      resolve: ({ entry }) => entry.runId,
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'Its run as it is now; null when it has none, or once that is gone.',
      resolve: async ({ scope, entry }, _args, { reads }) => {
        const run = entry.runId === null ? null : await reads.runs.byId.load(entry.runId)
        return run && runView(scope, run)
      },
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session that was prompted; null once that is gone.',
      resolve: async ({ scope, sessionKey, entry }, _args, { reads }) => {
        const key = sessionKey ?? (await reads.queue.byId.load(entry.queueId))?.sessionKey
        const session = key === undefined ? null : await reads.sessions.byKey.load(key)
        return session && sessionView(scope, session)
      },
    }),
    origin: t.field({
      type: Origin,
      nullable: true,
      description:
        'The call of `delegate` that it is executed for: of the first prompt of a child session the one that created it, ' +
        'later maybe another. Null for what clients enqueued, and once it is gone.',
      resolve: async ({ entry }, _args, { reads }) => {
        const delegation = (await reads.queue.byId.load(entry.queueId))?.delegation
        return delegation ? { parentRunId: delegation.parentRunId, parentToolCallId: delegation.toolCallId } : null
      },
    }),
    error: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it failed or was cancelled; null otherwise.',
      resolve: ({ entry }) => entry.error,
    }),
    clientRequestId: t.id({
      nullable: true,
      description: `The id that the caller gave to it, at most ${MAX_ID_BYTES} UTF-8 bytes; null when it gave none.`,
      resolve: ({ entry }) => entry.clientRequestId,
    }),
    createdBy: t.string({ description: 'The principal who enqueued it.', resolve: ({ entry }) => entry.createdBy }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was enqueued.',
      resolve: ({ entry }) => entry.createdAt,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its run began; null as long as it waits, and when it never ran.',
      resolve: ({ entry }) => entry.startedAt,
    }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was finished; null before.',
      resolve: ({ entry }) => entry.finishedAt,
    }),
  }),
})

builder.objectField(Session, 'queue', (t) =>
  t.field({
    type: [QueueEntry],
    description:
      'Its prompts that have not finished, in the order in which they run; then the newest ' +
      `${MAX_FINISHED_ENTRIES_SHOWN} finished ones, newest first.`,
    resolve: async ({ scope, row }, _args, { reads }) => {
      const entries = await reads.queue.view.load(row.key)
      return entries.map((entry) => queueEntryView(scope, entry))
    },
  }),
)
