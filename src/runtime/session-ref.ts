import type { Session } from '../domain/session/session.ts'
import type { SessionRef } from '../ports/event-transport.ts'

export const sessionRefOf = ({ scopeKey, key, sessionId, generation, place }: Session): SessionRef => ({
  scopeKey,
  sessionKey: key,
  sessionId,
  generation,
  path: place.path,
})
