import type { SessionKey } from '../kernel/ids.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Desk } from './desk.ts'

/** Hands out, of what is waited for in a session, what has come through other processes. Rejects as the stores do. */
export async function heardElsewhere(
  { permissions, executions, queue }: Pick<Stores, 'permissions' | 'executions' | 'queue'>,
  desk: Desk,
  key: SessionKey,
): Promise<void> {
  const waited = desk.waitedFor(key)
  for (const { permissionId, state } of await permissions.findMany(waited.permissions)) {
    if (state.kind === 'resolved') desk.answered(permissionId, state)
  }
  for (const { queueId, state } of await queue.findMany(waited.children)) {
    if (state.kind === 'finished') desk.childEnded(queueId)
  }
  for (const { intentId, state } of await executions.findMany(waited.executions)) {
    if (state.kind === 'reconciled') desk.reconciled(intentId)
  }
}
