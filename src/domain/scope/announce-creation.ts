import type { EventDraft } from '../event/event.ts'
import type { NewSession } from '../session/writes.ts'

/** The public event that reports a new session. */
export const announceCreation = ({ key, createdAt, title, place, createdBy }: NewSession): EventDraft => ({
  sessionKey: key,
  timestamp: createdAt,
  body: { type: 'session.created', title, agent: place.agent, depth: place.depth, createdBy },
})
