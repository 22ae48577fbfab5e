import type { AbortRequest } from '../domain/run/run.ts'
import type { ContentCommand } from '../domain/session/commands.ts'
import type { Content } from '../domain/session/content.ts'

/** What takes everything that waits in a session out of its queue. */
export const cancellations = ({ entries }: Content, request: AbortRequest): readonly ContentCommand[] =>
  entries
    .filter(({ state }) => state.kind === 'queued')
    .map(({ queueId }) => ({ type: 'cancel', queueId, request }) as const)
