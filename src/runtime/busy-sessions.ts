import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { SessionPosition, SessionStore } from '../ports/stores/sessions.ts'

const PAGE = 100

/** The sessions of the scope in which prompts wait or run. Exact while nothing goes on in the scope. */
export async function busySessions(sessions: SessionStore, scopeKey: ScopeKey): Promise<readonly SessionKey[]> {
  const keys: SessionKey[] = []
  for (const status of ['BUSY', 'AWAITING_PERMISSION'] as const) {
    for (let after: SessionPosition | undefined; ; ) {
      const page = await sessions.page({ scopeKey, filter: { status }, limit: PAGE, ...(after && { after }) })
      keys.push(...page.map(({ key }) => key))
      const last = page.at(-1)
      after = last && { updatedAt: last.updatedAt, generationSequence: last.generation.generationSequence }
      if (page.length < PAGE) break
    }
  }
  return keys
}
