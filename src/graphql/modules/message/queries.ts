import { asRunId, type RunId } from '../../../kernel/ids.ts'
import { COUNT_CAP } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { countedConnectionType } from '../../connection.ts'
import { type ConnectionView, connectionView, type Count } from '../../connection-view.ts'
import type { GraphQLContext } from '../../context.ts'
import { cursorsOf, integer, scopeMark } from '../../cursor.ts'
import { bothWaysArguments } from '../../page-arguments.ts'
import { type PageArguments, pageRequest } from '../../page-request.ts'
import { Message, Run, Session } from '../../refs.ts'
import { validId } from '../../validated.ts'
import { type MessageView, messageView, type SessionView, sessionView } from '../../views.ts'

const MessageConnection = countedConnectionType(Message, { name: 'Message', description: 'A page of messages.' })

builder.objectField(Session, 'messages', (t) =>
  t.field({
    type: MessageConnection,
    description: 'Its conversation, oldest message first, from either end.',
    args: {
      ...bothWaysArguments,
      runId: t.arg.id({
        validate: validId,
        description: 'Only the messages of this run. None when it is not one of the session.',
      }),
    },
    resolve: (session, { runId, ...page }, context) =>
      messagesOf(session, { page, runId: runId == null ? undefined : asRunId(runId) }, context),
  }),
)

builder.objectField(Run, 'messages', (t) =>
  t.field({
    type: MessageConnection,
    nullable: true,
    description: 'Its messages, its prompt first; null once they are gone.',
    args: bothWaysArguments,
    resolve: async ({ scope, row }, page, context) => {
      const session = await context.reads.sessions.byKey.load(row.sessionKey)
      return session && messagesOf(sessionView(scope, session), { page, runId: row.runId }, context)
    },
  }),
)

interface Wanted {
  readonly page: PageArguments
  readonly runId: RunId | undefined
}

async function messagesOf(
  { scope, row }: SessionView,
  { page, runId }: Wanted,
  { reads }: GraphQLContext,
): Promise<ConnectionView<MessageView>> {
  const cursors = cursorsOf(['messages', scopeMark(scope.storageKey), row.generation.generationSequence], integer)
  const request = pageRequest(page, cursors)
  const { take, size, after, before } = request
  const of = { sessionKey: row.key, ...(runId !== undefined && { runId }) }
  const bounds = { ...(after !== undefined && { after }), ...(before !== undefined && { before }) }
  return connectionView({
    rows: await reads.messages.pages.load({ ...of, ...bounds, take, limit: size + 1 }),
    request,
    nodeOf: (message) => messageView(scope, message),
    cursorOf: ({ index }) => cursors.encode(index),
    count: async (): Promise<Count> => {
      if (runId === undefined) return { total: row.next.message, capped: false }
      const found = await reads.messages.pages.load({ ...of, take: 'first', limit: COUNT_CAP + 1 })
      return { total: Math.min(found.length, COUNT_CAP), capped: found.length > COUNT_CAP }
    },
  })
}
