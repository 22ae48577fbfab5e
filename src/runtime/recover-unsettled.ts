import type { SessionKey } from '../kernel/ids.ts'
import type { SessionStore } from '../ports/stores/sessions.ts'
import type { Sessions } from './sessions.ts'

const PAGE = 100

/** Goes on with every session that has something to do, one after another. Rejects as the store does. */
export async function recoverUnsettled(store: SessionStore, sessions: Sessions): Promise<void> {
  for (let after: SessionKey | undefined; ; ) {
    const page = await store.unsettled(after, PAGE)
    for (const { key } of page) await sessions.recover(key)
    after = page.at(-1)?.key
    if (page.length < PAGE) return
  }
}
