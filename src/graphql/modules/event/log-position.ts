import type { ScopeKey } from '../../../kernel/ids.ts'
import type { GraphQLContext } from '../../context.ts'
import { invalidArgument, RefusalError } from '../../refusal-error.ts'

interface Bounds {
  readonly head: number
  readonly floor: number
}

/** What the log holds: events in `(floor, head]`. */
export const logBounds = ({ harness }: GraphQLContext, scopeKey: ScopeKey): Promise<Bounds> =>
  harness.stores.events.bounds(scopeKey)

/** Throws where a reader cannot go on without a gap: behind what the log still holds, or ahead of it. */
export function assertWithin({ head, floor }: Bounds, after: number): void {
  if (after < floor) throw cursorExpired()
  if (after > head) throw invalidArgument(['after'], 'lies in the future')
}

export const cursorExpired = (): RefusalError =>
  new RefusalError({
    code: 'CURSOR_EXPIRED',
    message: 'The events after this cursor are no longer kept. Read the state anew and begin without a cursor.',
  })
