import type { SessionId } from '../../../src/kernel/ids.ts'
import type { Asked, History } from '../history.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What people were told counted has counted, and what they were told did not has not. */
export function expectPeople(history: History, sessions: ReadonlyMap<SessionId, SessionState>): void {
  for (const asked of history) {
    const state = sessions.get(asked.sessionId)
    if (!state || asked.fate.kind === 'pending' || asked.fate.kind === 'unknown') continue
    if (asked.verb === 'respond') expectResponse(asked, state)
    if (asked.verb === 'reconcile') expectReconciliation(asked, state)
    if (asked.verb === 'revoke' && asked.fate.kind === 'done') {
      const { permissionId } = asked.fate.value
      holds(!state.grants.some((grant) => grant.permissionId === permissionId), 'X21: what is revoked is gone', asked)
    }
  }
}

function expectResponse({ input, by, fate }: Extract<Asked, { verb: 'respond' }>, { permissions }: SessionState): void {
  const stored = permissions.find(({ permissionId }) => permissionId === input.permissionId)?.state
  const told = stored?.kind === 'resolved' && stored.by === by ? [stored.decision, stored.message] : 'not by this answer'
  const said = fate.kind === 'done' ? [input.decision, input.message ?? null] : 'not by this answer'
  same(told, said, 'X24: of several answers that counts of which the person was told so')
}

function expectReconciliation({ input, by, fate }: Extract<Asked, { verb: 'reconcile' }>, { executions }: SessionState): void {
  const stored = executions.find(({ intentId }) => intentId === input.intentId)?.state
  const told = stored?.kind === 'reconciled' && stored.by === by ? stored.found.outcome : 'not by this person'
  same(told, fate.kind === 'done' ? input.found.outcome : 'not by this person', 'X61: an execution is reconciled by whoever was told so')
}
