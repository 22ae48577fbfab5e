import { isAllowed, type Permission } from '../../../src/domain/permission/permission.ts'
import { abortOf, isLive, type Run } from '../../../src/domain/run/run.ts'
import { type CallPart, callsOf } from '../calls-of.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What must hold of the requests of a session after each commit, by what is stored of them alone. */
export function expectRequests(state: SessionState): void {
  const { session, runs, permissions } = state
  const { work } = session
  same(session.owner, runs.find(isLive)?.owner ?? null, 'R16: a session has an owner while a run is live')
  const pending = permissions.filter(isPending)
  const isAwaiting = work.kind === 'running' && work.doing === 'AWAITING_PERMISSION'
  same(isAwaiting, pending.length > 0, 'P6: a session awaits permission exactly while a request waits')
  for (const permission of permissions) {
    const run = runs.find(({ runId }) => runId === permission.runId)
    if (isPending(permission)) {
      holds(run !== undefined && isLive(run) && !abortOf(run), 'P3: nothing of a run that stops or has ended waits', permission, run)
    }
    if (run) expectRejected(permission, run)
  }
  for (const run of runs) for (const call of callsOf(state, run)) expectAllowed(permissions, run, call)
}

const isPending = ({ state }: Permission): boolean => state.kind === 'pending'

/** A rejection without a message fails the run. */
function expectRejected({ state }: Permission, run: Run): void {
  if (state.kind !== 'resolved' || state.decision !== 'REJECT' || state.message !== null) return
  const code = run.state.kind === 'finished' && run.state.outcome.status === 'FAILED' ? run.state.outcome.error.code : ''
  holds(abortOf(run)?.kind === 'rejected' || code === 'PERMISSION_REJECTED', 'P4: a rejection fails the run', run)
}

function expectAllowed(permissions: readonly Permission[], { runId }: Run, { status, body, finishedAt }: CallPart): void {
  const asked = permissions.filter((permission) => permission.runId === runId && permission.toolCallId === body.toolCallId)
  const request = permissions.find(({ permissionId }) => permissionId === body.permissionId)
  if (finishedAt === null) {
    const isAsked = request !== undefined && isPending(request)
    same(isAsked, status === 'AWAITING_PERMISSION', 'P7: a call waits exactly as long as its request')
  }
  holds(asked.filter(isPending).length <= 1, 'R62: a call is asked for once at a time', asked)
  if (body.begunAt === null || asked.length === 0) return
  const isSure = asked.some(({ state }) => state.kind === 'resolved' && isAllowed(state))
  holds(isSure, 'X20: what was asked for is executed only when it was allowed', body, asked)
}
