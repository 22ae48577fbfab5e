import type { SessionPosition, StoredSession } from '../../../src/ports/stores/sessions.ts'

/** Where the list by activity goes on after a session. */
export const positionOf = ({ updatedAt, generation: { generationSequence } }: StoredSession): SessionPosition => ({
  updatedAt,
  generationSequence,
})
