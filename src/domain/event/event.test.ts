import { expect, test } from 'vitest'
import { durableEventTypes, type EventType } from './event.ts'

/** Of every type once: a missing one does not compile. */
const every: Record<EventType, true> = {
  'session.created': true,
  'session.deleted': true,
  'prompt.queued': true,
  'prompt.started': true,
  'prompt.running': true,
  'prompt.finished': true,
  'run.started': true,
  'run.finished': true,
  'message.created': true,
  'message.updated': true,
  'part.created': true,
  'part.updated': true,
  'part.completed': true,
  'permission.requested': true,
  'permission.resolved': true,
  'grant.changed': true,
  'tool.uncertain': true,
  'tool.reconciled': true,
  'scope.fenced': true,
  'scope.restored': true,
}

test('E25: the list of durable events names each type once', () => {
  expect(durableEventTypes).toEqual(Object.keys(every))
})
