import { z } from 'zod'
import { countedConnectionType } from '../../connection.ts'
import { type Cursors, cursorsOf, integer, scopeMark } from '../../cursor.ts'
import type { SessionPosition, SessionRow } from '../../facade-types.ts'
import { Session } from '../../refs.ts'
import type { ScopeView, SessionView } from '../../views.ts'

export const SessionConnection = countedConnectionType(Session, {
  name: 'Session',
  description:
    'A page of sessions. Stable while sessions change: one that did not move is neither skipped nor repeated.',
})

const byActivity: z.ZodType<SessionPosition> = z.object({ updatedAt: integer, generationSequence: integer })
const byPath = z.string().regex(/^\d+$/)

export const positionOf = ({ updatedAt, generation: { generationSequence } }: SessionRow): SessionPosition => ({
  updatedAt,
  generationSequence,
})

export const sessionCursors = ({ storageKey }: ScopeView): Cursors<SessionPosition> =>
  cursorsOf(['sessions', scopeMark(storageKey)], byActivity)

export const childCursors = (parent: SessionView): Cursors<SessionPosition> =>
  cursorsOf(['children', ...markOf(parent)], byActivity)

export const descendantCursors = (ancestor: SessionView): Cursors<string> =>
  cursorsOf(['descendants', ...markOf(ancestor)], byPath)

const markOf = ({ scope, row }: SessionView) => [scopeMark(scope.storageKey), row.generation.generationSequence]
