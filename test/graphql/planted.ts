import { asGenerationId, asRunId, asSessionId, asWriteId } from '../../src/kernel/ids.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import { noUsage } from '../../src/domain/run/usage.ts'
import { prefixesOf } from '../../src/domain/session/session.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

interface Child {
  readonly parent: StoredSession
  readonly id: string
  readonly at: number
  /** `nobody` makes a child that takes prompts from a test, as no child of a delegation does. */
  readonly agent?: 'researcher' | 'nobody'
}

/** Stores a child session, without the run that would have delegated to it. */
export async function plant(stores: Stores, { parent, id, at, agent = 'researcher' }: Child): Promise<StoredSession> {
  const { scopeKey, place } = parent
  const seed = {
    key: await stores.sessions.reserveKeys(1),
    scopeKey,
    sessionId: asSessionId(id),
    generationId: asGenerationId(`generation-${id}`),
    title: `Subagent: ${id}`,
    metadata: null,
    createdBy: 'tester',
    at,
  }
  const origin = { parentRunId: asRunId('run'), parentToolCallId: 'call' }
  const made = newSession(seed, { parent, agent, origin })
  const session = agent === 'nobody' ? { ...made, place: { ...made.place, agent: null } } : made
  const { title, createdBy } = seed
  const body = { type: 'session.created', title, agent: session.place.agent, depth: session.place.depth, createdBy } as const
  await stores.unit.commit(asWriteId(`plant-${parent.key}-${id}`), [
    {
      scopeKey,
      created: [session],
      sessions: [],
      rollUps: [{ scopeKey, paths: prefixesOf(place.path), usage: noUsage, descendants: 1 }],
      rows: [],
      events: [{ sessionKey: session.key, timestamp: at, body }],
    },
  ])
  const stored = await stores.sessions.find(scopeKey, asSessionId(id))
  if (!stored) throw new Error(`The session ${id} was not stored.`)
  return stored
}
