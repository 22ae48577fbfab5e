import type { SessionKey } from '../../kernel/ids.ts'

export interface AbandonedQuery {
  /** Milliseconds for which a session that nobody runs must not have changed. */
  readonly idleMs: number
  readonly after?: SessionKey
  readonly limit: number
}

/** Where a session stands, for whoever keeps a copy of it. */
export interface SessionVersion {
  readonly key: SessionKey
  readonly revision: number
}

/** A session of which nobody takes care. */
export interface AbandonedSession extends SessionVersion {
  /** Whether a run of it has lost its process; otherwise prompts wait. */
  readonly hasRun: boolean
}

/**
 * The processes that share a database, and which of them are alive. Time is that of the database alone.
 *
 * A lease protects nothing: writes are fenced by epochs. It says when a run may be taken over.
 */
export interface InstanceStore {
  /** Says that the process is alive for `ttlMs` from now on. */
  renew(owner: string, ttlMs: number): Promise<void>
  /** Says that it is not any more. What it has left can be taken over at once. */
  leave(owner: string): Promise<void>
  /**
   * Sessions with something to do of which nobody takes care: their run belongs to a process that is not alive, or prompts
   * wait in them and they have not changed for a while. By key. That they are abandoned is true of these revisions alone.
   */
  abandoned(query: AbandonedQuery): Promise<readonly AbandonedSession[]>
  /** Whether another process executes a run of a session in this group, or may: it has not let go, and was alive `graceMs` ago. */
  isHeld(query: { readonly group: SessionKey; readonly except: string; readonly graceMs: number }): Promise<boolean>
  /** Of these sessions those that exist, in any order. One statement. */
  versions(keys: readonly SessionKey[]): Promise<readonly SessionVersion[]>
}
