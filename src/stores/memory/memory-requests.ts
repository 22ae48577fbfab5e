/** What clients asked for under an id of their own. Rows are added by the unit of work alone and never change. */
import type { RequestStore } from '../../ports/stores/requests.ts'
import { type MemoryTables, requestKey } from './memory-tables.ts'

export function memoryRequests({ requests }: MemoryTables): RequestStore {
  return {
    async find(scopeKey, owner, clientRequestId) {
      return requests.get(scopeKey, requestKey({ owner, clientRequestId }))
    },

    async forget(before, limit) {
      const old = requests
        .all()
        .filter(({ createdAt }) => createdAt < before)
        .slice(0, limit)
      for (const row of old) requests.remove(row)
      return old.length
    },

    async purge(sessions, limit) {
      const owners = new Set<number>(sessions)
      const rows = requests
        .all()
        .filter(({ owner }) => owners.has(owner))
        .slice(0, limit)
      for (const row of rows) requests.remove(row)
      return rows.length
    },
  }
}
