import type { SessionKey } from '../kernel/ids.ts'
import type { HarnessEvent } from '../domain/event/event.ts'
import { pathBelow } from '../domain/session/session.ts'
import type { Commit, Committed } from '../ports/stores/unit-of-work.ts'

type Identity = Pick<HarnessEvent, 'sessionKey' | 'sessionId' | 'generation' | 'path'>

/**
 * The events of a commit as the store numbered them, so that tails need not read the log for them.
 * Undefined when an event is about a session that the commit does not hold.
 */
export function publishedEvents(commit: Commit, committed: Committed): readonly HarnessEvent[] | undefined {
  const sessions = new Map<SessionKey, Identity>([...written(commit), ...created(commit, committed.firstRevision)])
  const events: HarnessEvent[] = []
  for (const [index, { sessionKey, timestamp, body }] of commit.events.entries()) {
    const identity = sessions.get(sessionKey)
    if (!identity) return undefined
    events.push({ scopeKey: commit.scopeKey, sequence: committed.firstSequence + index, timestamp, body, ...identity })
  }
  return events
}

const written = (commit: Commit): readonly (readonly [SessionKey, Identity])[] =>
  commit.sessions.map(({ row: { key, sessionId, generation, place } }) => [
    key,
    { sessionKey: key, sessionId, generation, path: place.path },
  ])

const created = (commit: Commit, firstRevision: number): readonly (readonly [SessionKey, Identity])[] =>
  commit.created.map(({ key, sessionId, generationId, place }, index) => {
    const generationSequence = firstRevision + index
    const path = pathBelow(place.parentPath, generationSequence)
    return [key, { sessionKey: key, sessionId, generation: { generationId, generationSequence }, path }]
  })
