import { accepted, type Machine, refused } from '../../kernel/decider.ts'
import { invalid, type RefusalOf } from '../../kernel/refusal.ts'
import type { SessionId, SessionKey } from '../../kernel/ids.ts'
import type { NewSession } from '../session/writes.ts'

/** What the structure of a scope knows of one session id. */
export type Slot = { readonly kind: 'absent' } | { readonly kind: 'live'; readonly key: SessionKey }

export type StructureCommand = { readonly type: 'create'; readonly session: NewSession }

export type StructureEvent = { readonly type: 'created'; readonly session: NewSession }

/** Which sessions exist. An id names at most one live session; each creation is one revision of the scope. */
export const structureMachine: Machine<Slot, StructureCommand, StructureEvent, RefusalOf<'VALIDATION_FAILED'>> = {
  table: {
    absent: { create: (_, { session }) => accepted({ type: 'created', session }) },
    live: { create: (_, { session }) => refused(idTaken(session.sessionId)) },
  },
  evolve: (slot, { session }) => (slot.kind === 'absent' ? { kind: 'live', key: session.key } : slot),
}

export const idTaken = (sessionId: SessionId): RefusalOf<'VALIDATION_FAILED'> =>
  invalid(['sessionId'], `A session with the id ${JSON.stringify(sessionId)} exists already. Choose another id.`)
