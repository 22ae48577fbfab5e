import { isLive } from '../../../src/domain/run/run.ts'
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
