import type { PartAddress } from '../../../domain/event/event.ts'
import type { IntentId } from '../../../kernel/ids.ts'
import type { GraphQLContext } from '../../context.ts'
import type { PartRow } from '../../facade-types.ts'
import {
  type ExecutionView,
  executionView,
  type MessageView,
  messageView,
  type SessionView,
  sessionView,
} from '../../views.ts'
import type { EventView } from './view.ts'

/** What an event is about, as it is now; null once it is gone. */

export async function liveSession(
  { scope, session }: EventView,
  { reads }: GraphQLContext,
): Promise<SessionView | null> {
  const row = session && (await reads.sessions.byKey.load(session.key))
  return row && sessionView(scope, row)
}

export async function liveMessage(
  { scope, session, body }: EventView<Pick<PartAddress, 'messageId'>>,
  { reads }: GraphQLContext,
): Promise<MessageView | null> {
  const row = await reads.messages.byId.load(body.messageId)
  return row && row.sessionKey === session?.key ? messageView(scope, row) : null
}

export async function liveExecution(
  { scope, session, body }: EventView<{ readonly intentId: IntentId }>,
  { reads }: GraphQLContext,
): Promise<ExecutionView | null> {
  const row = await reads.executions.byId.load(body.intentId)
  return row && row.sessionKey === session?.key ? executionView(scope, row) : null
}

export async function livePartRow(
  { session, body }: { readonly session: EventView['session']; readonly body: PartAddress },
  { reads }: GraphQLContext,
): Promise<PartRow | null> {
  if (!session) return null
  return reads.messages.part.load({ sessionKey: session.key, index: body.messageIndex, partIndex: body.partIndex })
}
