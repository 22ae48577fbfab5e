import { expect } from 'vitest'
import type { ScopeKey, SessionKey } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

/** Checks that no repository has anything of these sessions. */
export async function expectErased(stores: Stores, scopeKey: ScopeKey, keys: readonly SessionKey[]): Promise<void> {
  const { sessions, structure, queue, runs, messages, log, permissions, executions, events, requests } = stores
  expect(await sessions.findMany(keys)).toEqual([])
  expect(await structure.tombstonesOf(keys)).toEqual([])
  for (const store of [queue, runs, messages, log, permissions, executions, requests, sessions, events]) {
    // What can still be purged was left. The deletions themselves are told of.
    const left = store === events ? await toldOf(stores, scopeKey, keys) : await store.purge(keys, 100)
    expect(left).toBe(store === events ? keys.length : 0)
  }
}

async function toldOf({ events }: Stores, scopeKey: ScopeKey, keys: readonly SessionKey[]): Promise<number> {
  let told = 0
  for (let after = 0; ; ) {
    const page = await events.read({ scopeKey, filter: {}, after, limit: 500 })
    told += page.events.filter(({ sessionKey }) => keys.includes(sessionKey)).length
    if (page.scannedTo === after) return told
    after = page.scannedTo
  }
}
