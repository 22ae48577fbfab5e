import type { QueueId, SessionKey } from '../../kernel/ids.ts'
import type { Entry } from '../../domain/prompt/entry.ts'
import type { Prompt } from '../../domain/prompt/prompt.ts'
import type { Purge } from './purge.ts'

export interface QueueStore extends Purge {
  /** The entries that have not finished, ascending rank. */
  outstanding(session: SessionKey): Promise<readonly Entry[]>
  /** The prompt of an entry. */
  prompt(session: SessionKey, ordinal: number): Promise<Prompt | undefined>
  findMany(ids: readonly QueueId[]): Promise<readonly Entry[]>
  /** For each session its outstanding entries by rank, then `finished` finished ones, highest ordinal first. */
  views(sessions: readonly SessionKey[], finished: number): Promise<ReadonlyMap<SessionKey, readonly Entry[]>>
}
