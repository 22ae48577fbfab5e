import type { SessionKey } from '../../kernel/ids.ts'
import type { LogEntry } from '../../domain/log/entry.ts'
import type { LogStore } from '../../ports/stores/log.ts'

const PAGE = 500

/** The whole agent log of a session, oldest first. */
export async function readLog(store: LogStore, session: SessionKey): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  for (;;) {
    const page = await store.read(session, entries.length, PAGE)
    entries.push(...page)
    if (page.length < PAGE) return entries
  }
}
