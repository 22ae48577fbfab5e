import type { HarnessEvent as StoredEvent } from '../../../domain/event/event.ts'
import { asSessionId, type SessionId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { connectionType } from '../../connection.ts'
import { type ConnectionView, connectionView } from '../../connection-view.ts'
import type { GraphQLContext } from '../../context.ts'
import type { EventsQuery } from '../../facade-types.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { type PageArguments, pageRequest } from '../../page-request.ts'
import { noSuch } from '../../refusal-error.ts'
import { Scope } from '../../refs.ts'
import { validId } from '../../validated.ts'
import { refOf, type ScopeRef, type ScopeView } from '../../views.ts'
import { findSession } from '../session/find-session.ts'
import { assertWithin, logBounds } from './log-position.ts'
import type { EventName } from './names.ts'
import { eventCursors, HarnessEvent } from './type.ts'
import { durableTypes, typesArgument } from './type-filter.ts'
import { type EventView, eventView } from './view.ts'

const HarnessEventConnection = connectionType(HarnessEvent, {
  name: 'HarnessEvent',
  description:
    'A page of the log. It looks at a bounded stretch, so with a filter it can be short, or empty, before the ' +
    'end: go on from `endCursor` as long as `hasNextPage`.',
})

builder.objectField(Scope, 'events', (t) =>
  t.field({
    type: HarnessEventConnection,
    description:
      'The log of the scope as far back as it is kept, oldest first. A cursor older than that is the error ' +
      'CURSOR_EXPIRED, one from the future VALIDATION_FAILED.',
    args: {
      ...forwardArguments,
      ...typesArgument,
      sessionId: t.arg.id({
        validate: validId,
        description: 'Only events of this session and those below it. One that does not exist is the error NOT_FOUND.',
      }),
    },
    resolve: (view, { types, sessionId, ...page }, context) =>
      logPage(view, { page, types, sessionId: sessionId == null ? null : asSessionId(sessionId) }, context),
  }),
)

interface Wanted {
  readonly page: PageArguments
  readonly types: readonly EventName[] | null | undefined
  readonly sessionId: SessionId | null
}

async function logPage(view: ScopeView, wanted: Wanted, context: GraphQLContext): Promise<ConnectionView<EventView>> {
  const scope = refOf(view)
  const cursors = eventCursors(view)
  const request = pageRequest(wanted.page, cursors)
  const bounds = scope ? await logBounds(context, scope.key) : { head: 0, floor: 0 }
  const after = request.after ?? bounds.floor
  assertWithin(bounds, after)
  const session = await sessionOf(scope, wanted.sessionId, context)
  if (!scope) return pageEndingAt(cursors.encode(after))
  const types = durableTypes(wanted.types)
  const filter = { ...(session && { session }), ...(types && { types }) }
  const query = { scopeKey: scope.key, filter, after, limit: request.size + 1 }
  const { events, scannedTo } = await scan(context, query, bounds.head)
  const page = connectionView({
    rows: events,
    request,
    nodeOf: (event): EventView => eventView(scope, event),
    cursorOf: ({ sequence }) => cursors.encode(sequence),
  })
  const { hasNextPage, endCursor } = page.pageInfo
  if (hasNextPage) return page
  // The end of what was looked at: the end of the log, or of the stretch that one page may look at.
  const goesOn = scannedTo < bounds.head
  const end = goesOn ? null : endCursor
  return { ...page, pageInfo: { ...page.pageInfo, hasNextPage: goesOn, endCursor: end ?? cursors.encode(scannedTo) } }
}

async function sessionOf(scope: ScopeRef | undefined, sessionId: Wanted['sessionId'], context: GraphQLContext) {
  if (sessionId === null) return undefined
  const session = scope && (await findSession(context, scope, sessionId))
  if (!session) throw noSuch('session', sessionId)
  const { key, place } = session.row
  return { key, path: place.path, includeDescendants: true }
}

const pageEndingAt = (endCursor: string): ConnectionView<EventView> => ({
  edges: [],
  pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor },
})

/** Looks further until the page is full, the log ends, or enough has been looked at for one page. */
async function scan({ harness }: GraphQLContext, query: EventsQuery, head: number) {
  const events: StoredEvent[] = []
  let scannedTo = query.after
  for (let reads = 0; reads < MAX_READS && events.length < query.limit && scannedTo < head; reads++) {
    const page = await harness.stores.events.read({ ...query, after: scannedTo, limit: query.limit - events.length })
    events.push(...page.events)
    scannedTo = page.scannedTo
  }
  return { events, scannedTo }
}

const MAX_READS = 10
