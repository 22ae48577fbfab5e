import { asScopeId, asSessionId, type MessageId, type RunId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import { mappedIterator } from '../../mapped-iterator.ts'
import { noSuch } from '../../refusal-error.ts'
import { Message } from '../../refs.ts'
import { storedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import { type MessageView, messageView, type ScopeRef } from '../../views.ts'
import { RunStatus, type RunStatusName } from '../run/enums.ts'
import { findSession } from '../session/find-session.ts'

interface LiveRunView {
  readonly scope: ScopeRef
  readonly runId: RunId
  readonly status: RunStatusName
  readonly messageIds: readonly MessageId[]
}

const LiveRunUpdate = builder.objectRef<LiveRunView>('LiveRunUpdate').implement({
  description: 'What has changed in the run that is watched.',
  fields: (t) => ({
    runId: t.exposeID('runId', { description: 'The run.' }),
    status: t.expose('status', { type: RunStatus, description: 'Whether it goes on, or how it ended.' }),
    messages: t.field({
      type: [Message],
      description:
        'First all messages of the run and of the runs to which it has delegated, at any depth; then those that have ' +
        'changed, and new ones: whole, with their text so far. Each run\'s are oldest first, those of a delegated run ' +
        'behind those of the one that delegated to it.',
      resolve: (update, _args, context) => changedMessages(update, context),
    }),
  }),
})

builder.subscriptionField('liveRun', (t) =>
  t.field({
    type: LiveRunUpdate,
    description:
      'State instead of events: all messages of the active run and of its delegated runs, in the sessions below, then ' +
      'those that change, at most ten times a ' +
      'second. The last update has the terminal status; then it completes. While prompts only wait, it waits; of ' +
      'an idle session it shows the last run. A session that does not exist is the error NOT_FOUND.',
    args: {
      scopeId: t.arg.id({ required: true, validate: validId, description: 'The scope.' }),
      sessionId: t.arg.id({ required: true, validate: validId, description: 'The session whose run is watched.' }),
    },
    subscribe: async (_root, { scopeId, sessionId }, context) => {
      const scope = await storedScope(context, asScopeId(scopeId))
      const session = scope && (await findSession(context, scope, asSessionId(sessionId)))
      if (!session) throw noSuch('session', sessionId)
      const { key, scopeKey, place } = session.row
      return source(scope, await context.harness.liveRuns.follow({ key, scopeKey, path: place.path }))
    },
    resolve: (update: LiveRunView) => update,
  }),
)

type Updates = Awaited<ReturnType<GraphQLContext['harness']['liveRuns']['follow']>>

const source = (scope: ScopeRef, updates: Updates): AsyncIterableIterator<LiveRunView> =>
  mappedIterator(updates, { map: (update) => ({ scope, ...update }), failure: (error) => error })

async function changedMessages({ scope, messageIds }: LiveRunView, { reads }: GraphQLContext): Promise<MessageView[]> {
  const rows = await Promise.all(messageIds.map((id) => reads.messages.byId.load(id)))
  return rows.filter((row) => row !== null).map((row) => messageView(scope, row))
}
