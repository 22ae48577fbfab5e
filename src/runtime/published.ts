import type { SessionKey } from '../kernel/ids.ts'
import { type EventSubject, type HarnessEvent, SCOPE_ITSELF, theScope } from '../domain/event/event.ts'
import { pathBelow } from '../domain/session/session.ts'
import type { Commit, Committed } from '../ports/stores/unit-of-work.ts'

/**
 * The events of a commit as the store numbered them, so that tails need not read the log for them.
 * Undefined when an event is about a session that the commit does not hold.
 */
export function publishedEvents(commit: Commit, committed: Committed): readonly HarnessEvent[] | undefined {
  const subjects = new Map<SessionKey, EventSubject>([
    [SCOPE_ITSELF, theScope],
    ...written(commit),
    ...dying(commit),
    ...created(commit, committed.firstRevision),
  ])
  const events: HarnessEvent[] = []
  for (const [index, { sessionKey, timestamp, body }] of commit.events.entries()) {
    const subject = subjects.get(sessionKey)
    if (!subject) return undefined
    events.push({ scopeKey: commit.scopeKey, sequence: committed.firstSequence + index, timestamp, body, ...subject })
  }
  return events
}

const written = (commit: Commit): readonly (readonly [SessionKey, EventSubject])[] =>
  commit.sessions.map(({ row: { key, sessionId, generation, place } }) => [
    key,
    { sessionKey: key, sessionId, generation, path: place.path },
  ])

const dying = ({ structure }: Commit): readonly (readonly [SessionKey, EventSubject])[] =>
  (structure?.members ?? []).map(({ key, ...subject }) => [key, { sessionKey: key, ...subject }])

const created = (commit: Commit, firstRevision: number): readonly (readonly [SessionKey, EventSubject])[] =>
  commit.created.map(({ key, sessionId, generationId, place }, index) => {
    const generationSequence = firstRevision + index
    const path = pathBelow(place.parentPath, generationSequence)
    return [key, { sessionKey: key, sessionId, generation: { generationId, generationSequence }, path }]
  })
