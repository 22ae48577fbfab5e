import type { Session } from '../../../src/domain/session/session.ts'
import { NOW } from '../../contract/support/world.ts'

/** The two commits by which a session without children is deleted. */
export function deathOf({ key, sessionId, generation, place }: Session) {
  const member = { key, sessionId, generation, path: place.path }
  const top = { ...member, changes: 0 }
  return {
    reserve: { structure: { kind: 'reserve', top, members: [member], at: NOW, by: 'somebody' } },
    finish: { structure: { kind: 'finish', group: key, members: [member] } },
  } as const
}
