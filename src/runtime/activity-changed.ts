import type { Content } from '../domain/session/content.ts'
import { activityOf } from '../domain/session/session.ts'
import type { Signal } from '../ports/event-transport.ts'
import { sessionRefOf } from './session-ref.ts'

/** What a session is doing now, if that has changed. */
export function activityChanged(before: Content, { session }: Content): Signal | undefined {
  const { work } = session
  if (before.session.work === work) return undefined
  const runId = work.kind === 'running' ? work.runId : null
  return { type: 'activity', activity: { session: sessionRefOf(session), kind: activityOf(session), runId, since: work.since } }
}
