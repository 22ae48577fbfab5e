import { asScopeId, asScopeKey, asSessionId, type ScopeKey, type SessionId, type SessionKey } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import type { EventsSubscription, EventUpdate } from '../../facade-types.ts'
import { mappedIterator } from '../../mapped-iterator.ts'
import { noSuch } from '../../refusal-error.ts'
import { namedScope, readableScope, storedUnder } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import type { ScopeRef, ScopeView } from '../../views.ts'
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
      const view = await (sessionId == null ? namedScope(context, id) : readableScope(context, id))
      if (view?.row) {
        const session = await watchedSession(context, storedUnder(view, view.row.key), { sessionId, ...options })
        const after = await position(context, view, options.after)
        const updates = await opened(context, { scopeKey: view.row.key, ...session, ...after, ...kinds(options) })
        if (session.session && !(await isStillThere(context, view.row.key, session.session))) {
          await updates.return?.()
          throw noSuch('session', String(sessionId))
        }
        return eventSource({ view, updates, types: options.types })
      }
      if (!view || sessionId != null) throw noSuch('session', String(sessionId))
      // Watching makes no scope: it is watched from its beginning, whenever that is.
      await position(context, view, options.after)
      const { storageKey } = view
      const updates = await context.harness.subscriptions.eventsToCome({ storageKey, ...kinds(options) })
      return eventSource({ view, updates, types: options.types })
    },
    resolve: (event: EventView) => event,
  }),
)

interface WatchedSession {
  readonly sessionId?: string | number | null | undefined
  readonly includeDescendants?: boolean | null | undefined
}

async function watchedSession(context: GraphQLContext, scope: ScopeRef, wanted: WatchedSession) {
  const { sessionId, includeDescendants } = wanted
  if (sessionId == null) return {}
  const session = await findSession(context, scope, asSessionId(String(sessionId)))
  if (!session) throw noSuch('session', String(sessionId))
  const { key, place } = session.row
  return { session: { key, sessionId: session.row.sessionId, path: place.path, includeDescendants: includeDescendants ?? true } }
}

/** A session that was deleted before the subscription began tells of nothing any more, not even of that. */
async function isStillThere(
  { harness }: GraphQLContext,
  scopeKey: ScopeKey,
  { key, sessionId }: { readonly key: SessionKey; readonly sessionId: SessionId },
): Promise<boolean> {
  const slot = await harness.stores.structure.slot(scopeKey, sessionId)
  return slot.kind !== 'absent' && slot.key === key
}

async function position(context: GraphQLContext, view: ScopeView, cursor: string | null | undefined) {
  if (cursor == null) return {}
  const after = eventCursors(view).decode(cursor, 'after')
  assertWithin(view.row ? await logBounds(context, view.row.key) : { head: 0, floor: 0 }, after)
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
  readonly view: ScopeView
  readonly updates: AsyncIterator<EventUpdate>
  readonly types: readonly EventName[] | null | undefined
}

const eventSource = ({ view, updates, types }: Source): AsyncIterableIterator<EventView> =>
  mappedIterator(updates, {
    map: (update) => {
      const event = updateView(storedUnder(view, scopeKeyOf(update)), update)
      return !types || event.name === 'cursor.advanced' || types.includes(event.name) ? event : undefined
    },
    failure,
  })

/** A cursor is all that there is in an update without a scope key; nothing is read by it. */
function scopeKeyOf(update: EventUpdate): ScopeKey {
  switch (update.type) {
    case 'event':
      return update.event.scopeKey
    case 'delta':
      return update.delta.session.scopeKey
    case 'snapshot':
      return update.session.scopeKey
    case 'activity':
      return update.activity.session.scopeKey
    case 'advanced':
      return asScopeKey(0)
  }
}

/** The log was pruned while the cursor was looked at, or past a subscriber that is too slow. */
const failure = (error: unknown): unknown =>
  error instanceof Error && error.name === 'CursorExpired' ? cursorExpired() : error
