import type { GenerationId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import { type EventBody, type EventDraft, type EventSubject, type HarnessEvent, SCOPE_ITSELF, theScope } from '../../domain/event/event.ts'
import { document } from './document.ts'
import type { Event as EventModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf } from './table.ts'

export const eventColumns: ColumnsOf<EventModel> = {
  scopeKey: 'bigint',
  sequence: 'bigint',
  timestamp: 'bigint',
  type: 'text',
  sessionKey: 'bigint',
  sessionId: 'text',
  generationId: 'text',
  generationSequence: 'bigint',
  path: 'text',
  rootSequence: 'bigint',
  body: 'document',
}

/** What a draft says itself; the rest is numbered, and copied from its session, by the database. */
export const eventColumnsDrafted = ['scopeKey', 'timestamp', 'type', 'sessionKey', 'body'] as const

export const eventRow = (
  scopeKey: ScopeKey,
  { sessionKey, timestamp, body }: EventDraft,
): Pick<RowOf<EventModel>, (typeof eventColumnsDrafted)[number]> => ({
  scopeKey,
  timestamp,
  type: body.type,
  sessionKey,
  body: document.encode(body),
})

export const eventOf = (model: EventModel & { readonly body: string }): HarnessEvent => ({
  scopeKey: Number(model.scopeKey) as ScopeKey,
  sequence: Number(model.sequence),
  timestamp: Number(model.timestamp),
  ...subjectOf(model),
  body: document.decode(model.body) as EventBody,
})

function subjectOf(model: EventModel): EventSubject {
  const sessionKey = Number(model.sessionKey) as SessionKey
  if (sessionKey === SCOPE_ITSELF) return theScope
  return {
    sessionKey,
    sessionId: model.sessionId as SessionId,
    generation: {
      generationId: model.generationId as GenerationId,
      generationSequence: Number(model.generationSequence),
    },
    path: model.path,
  }
}
