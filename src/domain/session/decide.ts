import type { ContentCommand } from './commands.ts'
import { type Content, type ContentEvent, evolve } from './content.ts'
import type { ContentDecision } from './decision.ts'
import { abort, admit, cancel, enqueue, reject } from './decide-queue.ts'
import { askPermission, respond, revokeGrant } from './decide-permission.ts'
import { begin, closePart, conclude, count, endStep, growPart, openPart, resolve, resume } from './decide-run.ts'
import { beginTool, delegateTool, endTool, openTool, reconcile } from './decide-tool.ts'

/** Decides one command about a session's content. Pure and total. */
export function decideContent(content: Content, command: ContentCommand): ContentDecision {
  switch (command.type) {
    case 'enqueue':
      return enqueue(content, command)
    case 'admit':
      return admit(content, command)
    case 'cancel':
      return cancel(content, command)
    case 'reject':
      return reject(content, command)
    case 'abort':
      return abort(content, command)
    case 'resume':
      return resume(content, command)
    case 'begin':
      return begin(content, command)
    case 'resolve':
      return resolve(content, command)
    case 'openPart':
      return openPart(content, command)
    case 'growPart':
      return growPart(content, command)
    case 'closePart':
      return closePart(content, command)
    case 'openTool':
      return openTool(content, command)
    case 'askPermission':
      return askPermission(content, command)
    case 'respond':
      return respond(content, command)
    case 'revokeGrant':
      return revokeGrant(content, command)
    case 'beginTool':
      return beginTool(content, command)
    case 'delegateTool':
      return delegateTool(content, command)
    case 'endTool':
      return endTool(content, command)
    case 'reconcile':
      return reconcile(content, command)
    case 'endStep':
      return endStep(content, command)
    case 'count':
      return count(content, command)
    case 'conclude':
      return conclude(content, command)
  }
}

/**
 * Decides several commands as one change. The first that is refused refuses all;
 * those that change nothing are passed over, and when none changes anything the answer is the last one's.
 */
export function decideTogether(content: Content, commands: readonly [ContentCommand, ...ContentCommand[]]): ContentDecision {
  let state = content
  let last: ContentDecision | undefined
  const events: ContentEvent[] = []
  for (const command of commands) {
    last = decideContent(state, command)
    if (last.kind === 'refused') return last
    if (last.kind === 'accepted') {
      events.push(...last.events)
      state = last.events.reduce(evolve, state)
    }
  }
  return events.length === 0 && last ? last : { kind: 'accepted', events }
}
