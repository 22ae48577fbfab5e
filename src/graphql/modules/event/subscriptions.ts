import { asScopeId, asSessionId, type SessionId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import type { EventsSubscription, EventUpdate } from '../../facade-types.ts'
import { mappedIterator } from '../../mapped-iterator.ts'
import { noSuch } from '../../refusal-error.ts'
import { storedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import { watchedScope } from '../../watched-scope.ts'
import type { ScopeRef } from '../../views.ts'
import { findSession } from '../session/find-session.ts'
import { assertWithin, cursorExpired, logBounds } from './log-position.ts'
import { ephemeralEventNames, type EventName } from './names.ts'
import { eventCursors, HarnessEvent } from './type.ts'
import { durableTypes, typesArgument } from './type-filter.ts'
import { type EventView, updateView } from './view.ts'

builder.subscriptionField('events', (t) =>
  t.field({
    type: HarnessEvent,
    description:
      'What happens in a scope or in a part of its tree, in order and without a gap. Ends, after the last event, when ' +
      'the scope is retired or the server closes. Errors: NOT_FOUND for a ' +
      'scope or a session that does not exist, CURSOR_EXPIRED when events after the cursor are no longer kept, ' +
      'VALIDATION_FAILED for a cursor of another scope or from the future.',
    args: {
      scopeId: t.arg.id({ required: true, validate: validId, description: 'The scope.' }),
      sessionId: t.arg.id({
        validate: validId,
        description: 'Only this session and those below it; the whole scope when absent.',
      }),
      includeDescendants: t.arg.boolean({
        defaultValue: true,
        description:
          'With `sessionId`: whether the sessions below it are included, those that are still to come as well.',
      }),
      ...typesArgument,
      after: t.arg.string({
        description:
          'The cursor of the last event that the client has: everything after it comes, then what is new. Only ' +
          'what is new when absent.',
      }),
      deltas: t.arg.boolean({
        defaultValue: true,
        description:
          'Whether events that are not stored come as well: PART_DELTA, PART_SNAPSHOT, SESSION_ACTIVITY. `types` ' +
          'narrows them, too.',
      }),
    },
    subscribe: async (_root, { scopeId, sessionId, ...options }, context) => {
      const id = asScopeId(scopeId)
      const scope = await (sessionId == null ? watchedScope(context, id) : storedScope(context, id))
      if (!scope) throw noSuch('session', String(sessionId))
      const session = await watchedSession(context, scope, {
        sessionId: sessionId == null ? null : asSessionId(sessionId),
        includeDescendants: options.includeDescendants ?? true,
      })
      const after = await position(context, scope, options.after)
      const updates = await opened(context, { scopeKey: scope.key, ...session, ...after, ...kinds(options) })
      return eventSource({ scope, updates, types: options.types })
    },
    resolve: (event: EventView) => event,
  }),
)

interface WatchedSession {
  readonly sessionId: SessionId | null
  readonly includeDescendants: boolean
}

async function watchedSession(
  context: GraphQLContext,
  scope: ScopeRef,
  { sessionId, includeDescendants }: WatchedSession,
) {
  if (sessionId === null) return {}
  const session = await findSession(context, scope, sessionId)
  if (!session) throw noSuch('session', sessionId)
  const { key, place } = session.row
  return { session: { key, path: place.path, includeDescendants } }
}

async function position(context: GraphQLContext, scope: ScopeRef, cursor: string | null | undefined) {
  if (cursor == null) return {}
  const after = eventCursors(scope).decode(cursor, 'after')
  assertWithin(await logBounds(context, scope.key), after)
  return { after }
}

interface Kinds {
  readonly types?: readonly EventName[] | null | undefined
  readonly deltas?: boolean | null | undefined
}

function kinds({ types, deltas }: Kinds): Pick<EventsSubscription, 'types' | 'deltas'> {
  const durable = durableTypes(types)
  const ephemeral = !types || ephemeralEventNames.some((name) => types.includes(name))
  return { ...(durable && { types: durable }), deltas: (deltas ?? true) && ephemeral }
}

async function opened({ harness }: GraphQLContext, subscription: EventsSubscription) {
  try {
    return await harness.subscriptions.events(subscription)
  } catch (error) {
    throw failure(error)
  }
}

interface Source {
  readonly scope: ScopeRef
  readonly updates: AsyncIterator<EventUpdate>
  readonly types: readonly EventName[] | null | undefined
}

const eventSource = ({ scope, updates, types }: Source): AsyncIterableIterator<EventView> =>
  mappedIterator(updates, {
    map: (update) => {
      const event = updateView(scope, update)
      return !types || event.name === 'cursor.advanced' || types.includes(event.name) ? event : undefined
    },
    failure,
  })

/** The log was pruned while the cursor was looked at, or past a subscriber that is too slow. */
const failure = (error: unknown): unknown =>
  error instanceof Error && error.name === 'CursorExpired' ? cursorExpired() : error
