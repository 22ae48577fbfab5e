import type { SessionKey } from '../../kernel/ids.ts'

/** Every repository can erase what it holds of sessions. */
export interface Purge {
  /** Erases at most `limit` rows of these sessions. Returns how many; 0 when nothing is left. Safe to repeat. */
  purge(sessions: readonly SessionKey[], limit: number): Promise<number>
}
