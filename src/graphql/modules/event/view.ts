import type { EventBody, EventType, HarnessEvent } from '../../../domain/event/event.ts'
import type { Generation, SessionId, SessionKey } from '../../../kernel/ids.ts'
import type { EventUpdate } from '../../facade-types.ts'
import type { ScopeRef } from '../../views.ts'
import type { EventName } from './names.ts'

/** An event as a subscriber or a reader of the log gets it. */
export interface EventView<Body = unknown> {
  readonly name: EventName
  readonly scope: ScopeRef
  /** Null for events that are not stored. */
  readonly sequence: number | null
  /** The sequence from which a reader that saw this goes on; null where it cannot. */
  readonly resumeFrom: number | null
  readonly timestamp: number
  /** Null for events that are about no session. */
  readonly session: { readonly key: SessionKey; readonly sessionId: SessionId; readonly generation: Generation } | null
  readonly body: Body
}

type OneOf<Union, Type> = Union extends { readonly type: infer Types } ? (Type extends Types ? Union : never) : never

export type BodyOf<Type extends EventType> = OneOf<EventBody, Type>
export type Update<Type extends EventUpdate['type']> = Extract<EventUpdate, { type: Type }>

export function eventView(scope: ScopeRef, event: HarnessEvent): EventView<EventBody> {
  const { sequence, timestamp, sessionKey, sessionId, generation, body } = event
  const session = sessionId === null || generation === null ? null : { key: sessionKey, sessionId, generation }
  return { name: body.type, scope, sequence, resumeFrom: sequence, timestamp, session, body }
}

export function updateView(scope: ScopeRef, update: EventUpdate): EventView {
  switch (update.type) {
    case 'event':
      return eventView(scope, update.event)
    case 'delta':
      return { ...ephemeral(scope, 'part.delta', update.delta), body: { ...update.delta.address, ...update.delta } }
    case 'snapshot':
      return { ...ephemeral(scope, 'part.snapshot', update), body: { ...update.address, ...update } }
    case 'activity': {
      const { activity, timestamp } = update
      return { ...ephemeral(scope, 'session.activity', { session: activity.session, timestamp }), body: activity }
    }
    case 'advanced':
      return {
        name: 'cursor.advanced',
        scope,
        sequence: null,
        resumeFrom: update.sequence,
        timestamp: update.timestamp,
        session: null,
        body: update,
      }
  }
}

type AboutSession = Pick<Update<'snapshot'>, 'session' | 'timestamp'>

function ephemeral(scope: ScopeRef, name: EventName, { session, timestamp }: AboutSession): Omit<EventView, 'body'> {
  const { sessionKey: key, sessionId, generation } = session
  return { name, scope, sequence: null, resumeFrom: null, timestamp, session: { key, sessionId, generation } }
}
