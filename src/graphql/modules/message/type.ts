import type { Message as MessageRow, Role } from '../../../domain/message/message.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Message, Run, Session } from '../../refs.ts'
import { runView, sessionView } from '../../views.ts'
import { livePart } from './live-part.ts'
import { Part } from './part.ts'

const MessageRole = builder.enumType('MessageRole', {
  description: 'Who a message is from.',
  values: {
    USER: { description: 'The caller: a prompt.' },
    ASSISTANT: { description: 'The model: an answer.' },
  } satisfies Record<Role, { description: string }>,
})

Message.implement({
  description: 'One message of a conversation.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, row }) => nodeId({ type: 'Message', scopeId: scope.scopeId, id: row.messageId }),
    }),
    messageId: t.id({ description: 'Its id within the scope.', resolve: ({ row }) => row.messageId }),
    messageIndex: t.field({
      type: 'NonNegativeInt',
      description: 'Its position in the conversation, from 0, without gaps.',
      resolve: ({ row }) => row.index,
    }),
    role: t.field({ type: MessageRole, description: 'Who it is from.', resolve: ({ row }) => row.role }),
    runId: t.id({ description: 'The run that it belongs to.', resolve: ({ row }) => row.runId }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run that it belongs to; null once that is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const run = await reads.runs.byId.load(row.runId)
        return run && runView(scope, run)
      },
    }),
    sessionId: t.id({
      nullable: true,
      description: 'The session that it belongs to; null once that is gone.',
      resolve: async ({ row }, _args, { reads }) =>
        (await reads.sessions.byKey.load(row.sessionKey))?.sessionId ?? null,
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
    parts: t.field({
      type: [Part],
      description: 'What it consists of, in order. A part that streams has the text so far.',
      args: {
        includeSuperseded: t.arg.boolean({
          defaultValue: false,
          description: 'Also the parts of steps that were cut off with their process and repeated.',
        }),
      },
      resolve: async ({ scope, row, parts }, { includeSuperseded }, { reads, harness }) => {
        const { sessionKey, index, runId } = row
        const all = parts ?? (await reads.messages.parts.load({ sessionKey, index }))
        const found = includeSuperseded ? all : all.filter(({ partIndex }) => !isSuperseded(row, partIndex))
        return found.map((part) => ({ scope, runId, row: livePart(part, harness.subscriptions) }))
      },
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was created.', resolve: ({ row }) => row.createdAt }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was created, or when its run ended.',
      resolve: ({ row }) => row.updatedAt,
    }),
  }),
})

const isSuperseded = ({ superseded }: MessageRow, index: number): boolean =>
  superseded.some(({ from, to }) => index >= from && index < to)
