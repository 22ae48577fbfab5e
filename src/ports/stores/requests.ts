import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { ClientRequest } from '../../domain/session/writes.ts'
import type { Purge } from './purge.ts'

/** What clients asked for under an id of their own. */
export interface RequestStore extends Purge {
  find(scopeKey: ScopeKey, owner: SessionKey | 0, clientRequestId: string): Promise<ClientRequest | undefined>
  /** Forgets requests older than `before`, at most `limit`. Returns how many. */
  forget(before: number, limit: number): Promise<number>
}
