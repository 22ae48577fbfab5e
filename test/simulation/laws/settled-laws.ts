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

/** The same, or all that its run does is wait for answers and reconciliations of people. */
export function expectIdleOrWaiting(state: SessionState): void {
  const run = state.runs.find(isLive)
  if (!run) return expectIdle(state)
  const open = callsOf(state, run).filter(({ finishedAt }) => finishedAt === null)
  const asks = state.permissions.filter((it) => it.runId === run.runId && it.state.kind === 'pending')
  const stuck = open.filter(({ status, body }) => status !== 'AWAITING_PERMISSION' && !isUncertain(state, run, body.toolCallId))
  // Calls of earlier steps wait as long as the application asks whether there are tools.
  const isBehind = run.state.kind === 'resolving' && asks.some(({ toolCallId }) => toolCallId === null)
  const waits = !abortOf(run) && (isBehind || (stuck.length === 0 && open.length + asks.length > 0))
  holds(waits, 'R46: a run goes on until it has ended or waits for people', run, stuck, asks)
}

const isUncertain = ({ executions }: SessionState, { runId }: Run, toolCallId: string): boolean =>
  executions.some((it) => it.runId === runId && it.toolCallId === toolCallId && it.state.kind === 'uncertain')
