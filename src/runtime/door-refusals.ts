import type { RefusalOf } from '../kernel/refusal.ts'
import { fencedRefusal } from '../domain/scope/lifecycle.ts'

export const shuttingDown: RefusalOf<'SHUTTING_DOWN'> = {
  code: 'SHUTTING_DOWN',
  message: 'The harness is not open: it is starting or stopping. Nothing was changed; try again later.',
}

export const NOT_KNOWN = 'It is not known whether an earlier change was stored.'
export const held = fencedRefusal({ since: 0, reason: NOT_KNOWN })

export const tooManyAdmissions = (limit: number): RefusalOf<'QUEUE_FULL'> => ({
  code: 'QUEUE_FULL',
  message: `At most ${limit} prompts can be enqueued at the same moment. Nothing was changed; try again.`,
  limit,
})
