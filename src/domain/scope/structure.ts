import { accepted, type Machine, refused, unchanged } from '../../kernel/decider.ts'
import { invalid, notFound, type RefusalOf } from '../../kernel/refusal.ts'
import type { SessionId, SessionKey } from '../../kernel/ids.ts'
import type { NewSession } from '../session/writes.ts'

/** What the structure of a scope knows of one session id. */
export type Slot =
  | { readonly kind: 'absent' }
  | { readonly kind: 'live'; readonly key: SessionKey }
  /** Its deletion is durable; `group` is the session at the top of what is deleted with it. */
  | { readonly kind: 'tombstoned'; readonly key: SessionKey; readonly group: SessionKey }

export type StructureCommand =
  | { readonly type: 'create'; readonly session: NewSession }
  /** Deletes the session with all below it, or with what is above it: then it belongs to that session's group. */
  | { readonly type: 'reserve'; readonly sessionId: SessionId; readonly group: SessionKey }
  /** Nothing of the session is left. */
  | { readonly type: 'finish' }

export type StructureEvent =
  | { readonly type: 'created'; readonly session: NewSession }
  | { readonly type: 'reserved'; readonly group: SessionKey }
  | { readonly type: 'finished' }

type StructureRefusal = RefusalOf<'VALIDATION_FAILED'> | RefusalOf<'NOT_FOUND'>

/**
 * Which sessions exist. An id names at most one session, dead or alive, and can be used again when nothing of it is left.
 *
 *     absent ──create──▶ live ──reserve──▶ tombstoned ──finish──▶ absent
 */
export const structureMachine: Machine<Slot, StructureCommand, StructureEvent, StructureRefusal> = {
  table: {
    absent: {
      create: (_, { session }) => accepted({ type: 'created', session }),
      reserve: (_, { sessionId }) => refused(notFound('session', sessionId)),
      finish: () => unchanged('there is no such session'),
    },
    live: {
      create: (_, { session }) => refused(idTaken(session.sessionId)),
      reserve: (_, { group }) => accepted({ type: 'reserved', group }),
      finish: () => unchanged('the session lives'),
    },
    tombstoned: {
      create: (_, { session }) => refused(idBeingDeleted(session.sessionId)),
      reserve: () => unchanged('the session is being deleted'),
      finish: () => accepted({ type: 'finished' }),
    },
  },
  evolve(slot, event) {
    switch (event.type) {
      case 'created':
        return slot.kind === 'absent' ? { kind: 'live', key: event.session.key } : slot
      case 'reserved':
        return slot.kind === 'live' ? { kind: 'tombstoned', key: slot.key, group: event.group } : slot
      case 'finished':
        return slot.kind === 'tombstoned' ? { kind: 'absent' } : slot
    }
  },
}

export const idTaken = (sessionId: SessionId): RefusalOf<'VALIDATION_FAILED'> =>
  invalid(['sessionId'], `A session with the id ${JSON.stringify(sessionId)} exists already. Choose another id.`)

const idBeingDeleted = (sessionId: SessionId): RefusalOf<'VALIDATION_FAILED'> =>
  invalid(
    ['sessionId'],
    `The session with the id ${JSON.stringify(sessionId)} is still being deleted. Choose another id, or try again later.`,
  )
