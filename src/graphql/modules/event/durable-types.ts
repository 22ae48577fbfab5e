import type { EventType } from '../../../domain/event/event.ts'
import { Message, QueueEntry, Session } from '../../refs.ts'
import { Failure } from '../run/failure.ts'
import { RunStatus } from '../run/enums.ts'
import { liveMessage, liveSession } from './live-fields.ts'
import { describe, eventRef, HarnessEvent } from './type.ts'
import type { BodyOf } from './view.ts'

/** Fields of one name have one type in all events, nullability included: clients select them side by side. */
const durable = <Type extends EventType>(type: Type) => eventRef<BodyOf<Type>>(type)

durable('session.created').implement({
  description: describe('session.created'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    title: t.string({
      nullable: true,
      description: 'The title that it was created with.',
      resolve: ({ body }) => body.title,
    }),
    agent: t.string({
      nullable: true,
      description: 'The subagent that it was created for; null for a root.',
      resolve: ({ body }) => body.agent,
    }),
    depth: t.field({
      type: 'NonNegativeInt',
      description: 'Levels below the root of its tree; 0 for a root.',
      resolve: ({ body }) => body.depth,
    }),
    createdBy: t.string({ description: 'The principal who created it.', resolve: ({ body }) => body.createdBy }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session as it is now; null once it is gone.',
      resolve: (event, _args, context) => liveSession(event, context),
    }),
  }),
})

durable('session.deleted').implement({
  description: describe('session.deleted'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    agent: t.string({
      nullable: true,
      description: 'The subagent that it was created for; null for a root.',
      resolve: ({ body }) => body.agent,
    }),
    depth: t.field({
      type: 'NonNegativeInt',
      description: 'Levels below the root of its tree; 0 for a root.',
      resolve: ({ body }) => body.depth,
    }),
    parentSessionId: t.id({
      nullable: true,
      description: 'The session whose run created it; null for a root.',
      resolve: ({ body }) => body.parentSessionId,
    }),
    actor: t.string({ description: 'The principal who deleted it.', resolve: ({ body }) => body.deletedBy }),
  }),
})

for (const type of ['prompt.queued', 'prompt.started', 'prompt.running', 'prompt.finished'] as const) {
  durable(type).implement({
    description: describe(type),
    interfaces: [HarnessEvent],
    fields: (t) => ({
      queueId: t.id({ description: 'The queue entry.', resolve: ({ body }) => body.queueId }),
      runId: t.id({
        nullable: true,
        description: 'Its run; null while it has none.',
        resolve: ({ body }) => body.runId,
      }),
      entry: t.field({
        type: QueueEntry,
        description: 'The queue entry as it was then.',
        resolve: ({ scope, session, body }) => ({
          kind: 'QueueEntry' as const,
          scope,
          ...(session && { sessionKey: session.key }),
          entry: body.entry,
        }),
      }),
    }),
  })
}

durable('run.started').implement({
  description: describe('run.started'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    runId: t.id({ nullable: true, description: 'The run.', resolve: ({ body }) => body.runId }),
    messageId: t.id({ description: 'The message that holds its prompt.', resolve: ({ body }) => body.messageId }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session as it is now; null once it is gone.',
      resolve: (event, _args, context) => liveSession(event, context),
    }),
  }),
})

durable('run.finished').implement({
  description: describe('run.finished'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    runId: t.id({ nullable: true, description: 'The run.', resolve: ({ body }) => body.runId }),
    messageId: t.id({ description: 'The message that holds its answer.', resolve: ({ body }) => body.messageId }),
    status: t.field({ type: RunStatus, description: 'How it ended.', resolve: ({ body }) => body.status }),
    error: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it failed or was cancelled; null when it completed.',
      resolve: ({ body }) => body.error,
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session as it is now; null once it is gone.',
      resolve: (event, _args, context) => liveSession(event, context),
    }),
  }),
})

for (const type of ['message.created', 'message.updated'] as const) {
  durable(type).implement({
    description: describe(type),
    interfaces: [HarnessEvent],
    fields: (t) => ({
      runId: t.id({
        nullable: true,
        description: 'The run that the message belongs to.',
        resolve: ({ body }) => body.runId,
      }),
      messageId: t.id({ description: 'The message.', resolve: ({ body }) => body.messageId }),
      messageIndex: t.field({
        type: 'NonNegativeInt',
        description: 'Its position in the conversation, from 0.',
        resolve: ({ body }) => body.messageIndex,
      }),
      message: t.field({
        type: Message,
        nullable: true,
        description: 'The message as it is now; null once it is gone.',
        resolve: (event, _args, context) => liveMessage(event, context),
      }),
    }),
  })
}

durable('scope.fenced').implement({
  description: describe('scope.fenced'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    reason: t.string({ description: 'Why, in English.', resolve: ({ body }) => body.reason }),
  }),
})

durable('scope.restored').implement({
  description: describe('scope.restored'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    fencedAt: t.field({
      type: 'DateTime',
      description: 'Since when the scope had taken no work.',
      resolve: ({ body }) => body.fencedAt,
    }),
  }),
})
