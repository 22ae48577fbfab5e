import { abortOf, isLive, type Run } from '../../../src/domain/run/run.ts'
import { callsOf } from '../calls-of.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What must hold of a session in which nothing goes on any more. */
export function expectIdle({ session, entries, runs, permissions }: SessionState): void {
  const { sessionId, work } = session
  const waiting = entries.filter(({ state }) => state.kind !== 'finished')
  holds(waiting.length === 0, `R46: no prompt is left behind (${sessionId})`, work, waiting)
  holds(!runs.some(isLive), `R46: no run is left behind (${sessionId})`, work, runs.filter(isLive))
  const asked = permissions.filter(({ state }) => state.kind === 'pending')
  holds(asked.length === 0, `P3: nobody is asked any more (${sessionId})`, asked)
  same(work.kind, 'idle', `R46: a session is not busy when nothing goes on in it (${sessionId})`)
}

/** The same, or a run of it waits for people. */
export function expectIdleOrWaiting(state: SessionState): void {
  const run = state.runs.find(isLive)
  if (!run || !isWaiting(state, run)) expectIdle(state)
}

/** Whether all that a run does is wait for answers and reconciliations. */
function isWaiting(state: SessionState, run: Run): boolean {
  if (abortOf(run)) return false
  const open = callsOf(state, run).filter(({ finishedAt }) => finishedAt === null)
  const asks = state.permissions.filter(({ runId, state: { kind } }) => runId === run.runId && kind === 'pending')
  const isLost = (toolCallId: string) =>
    state.executions.some((it) => it.runId === run.runId && it.toolCallId === toolCallId && it.state.kind === 'uncertain')
  const waits = open.every(({ status, body }) => status === 'AWAITING_PERMISSION' || (status === 'UNCERTAIN' && isLost(body.toolCallId)))
  return waits && (open.length > 0 || asks.length > 0)
}
