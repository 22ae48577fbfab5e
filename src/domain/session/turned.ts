import { decide, eventsOf } from '../../kernel/decider.ts'
import { type Content, type ContentEvent, evolve, workChanged } from './content.ts'
import { workMachine } from './machine.ts'
import type { Doing } from './session.ts'

/** The events, and after them the turn of the session to what its run does then, if that is something else. */
export function turned(content: Content, events: readonly ContentEvent[], at: number): readonly ContentEvent[] {
  const after = events.reduce(evolve, content)
  if (!after.run) return events
  const { runId } = after.run
  const work = decide(workMachine, after.session.work, { type: 'do', runId, doing: doingOf(after), at })
  return [...events, ...workChanged(eventsOf(work))]
}

/**
 * A question to a person weighs more than calls that run beside it, and these more than text that streams. Of calls those
 * that are executed here weigh more than those that wait for a child.
 */
function doingOf({ open, permissions }: Content): Doing {
  if (permissions.length > 0) return 'AWAITING_PERMISSION'
  const calls = open.filter((part) => part.kind === 'tool')
  if (calls.some(({ state, child }) => state.kind !== 'unknown' && !child)) return 'CALLING_TOOL'
  if (calls.some(({ child }) => child)) return 'DELEGATING'
  if (calls.length > 0) return 'AWAITING_RECONCILIATION'
  return open.at(-1)?.kind === 'text' ? 'RESPONDING' : 'THINKING'
}
