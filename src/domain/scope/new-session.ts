import type { GenerationId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { noUsage } from '../run/usage.ts'
import type { NewSession } from '../session/writes.ts'
import type { Origin, Session } from '../session/session.ts'

export interface SessionSeed {
  readonly key: SessionKey
  readonly scopeKey: ScopeKey
  readonly sessionId: SessionId
  readonly generationId: GenerationId
  readonly title: string | null
  readonly metadata: JsonObject | null
  readonly createdBy: string
  readonly at: number
}

/** What a child session has from the run that creates it. */
export interface Birth {
  readonly parent: Pick<Session, 'key' | 'place'>
  readonly agent: string
  readonly origin: Origin
}

export function newSession(seed: SessionSeed, birth?: Birth): NewSession {
  const { key, scopeKey, sessionId, generationId, title, metadata, createdBy, at } = seed
  const parent = birth?.parent
  return {
    key,
    scopeKey,
    sessionId,
    generationId,
    place: {
      parentKey: parent?.key ?? null,
      rootKey: parent?.place.rootKey ?? key,
      depth: parent ? parent.place.depth + 1 : 0,
      parentPath: parent?.place.path ?? '',
      agent: birth?.agent ?? null,
      origin: birth?.origin ?? null,
    },
    title,
    metadata,
    createdBy,
    createdAt: at,
    updatedAt: at,
    revision: 0,
    epoch: 0,
    work: { kind: 'idle', since: at },
    owner: null,
    next: { entry: 0, run: 0, message: 0, log: 0, permission: 0, execution: 0 },
    usage: noUsage,
  }
}
