import type { SessionKey } from '../../kernel/ids.ts'
import type { LogEntry } from '../../domain/log/entry.ts'
import type { Purge } from './purge.ts'

/** The agent log. */
export interface LogStore extends Purge {
  /** Entries from index `from` on, oldest first. */
  read(session: SessionKey, from: number, limit: number): Promise<readonly LogEntry[]>
}
