import type { SessionKey } from '../../kernel/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Purge } from '../../ports/stores/purge.ts'
import type { Stores } from '../../ports/stores/stores.ts'

/** Rows per statement: few enough that nothing else waits long for a database that works on the thread of the process. */
const PAGE = 1000
/** Sessions per statement. */
const SESSIONS = 500

/**
 * Erases everything that is stored of sessions to which nobody can write any more; of their events the numbers stay. Safe
 * to repeat. Rejects as the store does, and with the signal's reason when it aborts.
 */
export async function erase(
  stores: Stores,
  sessions: readonly SessionKey[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (let from = 0; from < sessions.length; from += SESSIONS) {
    const keys = sessions.slice(from, from + SESSIONS)
    for (const domain of domainsOf(stores)) {
      while ((await domain.purge(keys, PAGE)) > 0) {
        await clock.breathe()
        signal.throwIfAborted()
      }
    }
  }
}

const domainsOf = (stores: Stores): readonly Purge[] => [
  stores.queue,
  stores.runs,
  stores.messages,
  stores.log,
  stores.permissions,
  stores.executions,
  stores.requests,
  stores.sessions,
  stores.events,
]
