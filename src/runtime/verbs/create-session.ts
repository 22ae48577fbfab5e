import { decide } from '../../kernel/decider.ts'
import { asGenerationId, asSessionId, asSessionKey, type ScopeKey, type SessionId } from '../../kernel/ids.ts'
import { digest } from '../../kernel/json.ts'
import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule, metadataRule, titleRule } from '../../domain/input-rules.ts'
import { announceCreation } from '../../domain/scope/announce-creation.ts'
import { newSession } from '../../domain/scope/new-session.ts'
import { structureMachine } from '../../domain/scope/structure.ts'
import type { ClientRequest, NewSession } from '../../domain/session/writes.ts'
import { failureClassOf } from '../../ports/stores/failure.ts'
import type { StoredSession } from '../../ports/stores/sessions.ts'
import type { Commit } from '../../ports/stores/unit-of-work.ts'
import type { Caller, CommonRefusal, CreateSession } from '../harness.ts'
import type { ScopeLife } from '../scope-life.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { reusedRequestId } from './reused-request-id.ts'

const MAX_TRIES = 5

/** Creates a root session. Answers when it is durable. */
export async function createSession(
  deps: VerbDeps,
  input: CreateSession,
  caller: Caller,
): Promise<Answer<StoredSession, CommonRefusal>> {
  const refusal = refusedFor([
    ...checked(['scopeId'], input.scopeId, idRule),
    ...checked(['sessionId'], input.sessionId, idRule),
    ...checked(['generationId'], input.generationId, idRule),
    ...checked(['title'], input.title, titleRule),
    ...checked(['metadata'], input.metadata, metadataRule),
    ...checked(['clientRequestId'], input.clientRequestId, idRule),
  ])
  if (refusal) return no(refusal)
  const resolved = await deps.scopes.resolve(input.scopeId, caller.principal)
  if (!resolved) return no(notFound('scope', input.scopeId))
  const scopeKey = await deps.scopes.ensureKey(resolved.storageKey)
  const life = deps.lives.of(scopeKey)
  if (life.refusal) return no(life.refusal)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await attempt(deps, { input, scopeKey, life, caller })
    if (answer) return answer
  }
  return no(contended)
}

interface Creation {
  readonly input: CreateSession
  readonly scopeKey: ScopeKey
  readonly life: ScopeLife
  readonly caller: Caller
}

/** Undefined when somebody else was faster with the same id: then look again. */
async function attempt(deps: VerbDeps, creation: Creation): Promise<Answer<StoredSession, CommonRefusal> | undefined> {
  const { stores, committers, ids } = deps
  const sessionId = creation.input.sessionId ?? asSessionId(ids.uuid())
  const slot = await stores.structure.slot(creation.scopeKey, sessionId)
  // Looked for after the session: if this very request has just made it elsewhere, it is there by now.
  const repeated = await earlierAnswer(deps, creation)
  if (repeated) return repeated
  const session = await seed(deps, creation, sessionId)
  const decision = decide(structureMachine, slot, { type: 'create', session })
  if (decision.kind === 'refused') return no(decision.refusal)
  const { refusal } = creation.life
  if (refusal) return no(refusal)
  try {
    await committers.submit(commitOf(creation, session))
  } catch (error) {
    if (failureClassOf(error) === 'conflict') return undefined
    throw error
  }
  const [created] = await stores.sessions.findMany([session.key])
  // Not there any more when it was deleted at once.
  return created ? done(created) : no(notFound('session', sessionId))
}

type Made = Pick<NewSession, 'key' | 'sessionId'>

/** What a request has made, as it is stored: the key, a space, and the id. */
const resultOf = ({ key, sessionId }: Made): string => `${key} ${sessionId}`

function madeOf(result: string): Made {
  const end = result.indexOf(' ')
  return { key: asSessionKey(Number(result.slice(0, end))), sessionId: asSessionId(result.slice(end + 1)) }
}

/** What the same request was answered before, if it was made before. */
async function earlierAnswer(
  { stores }: VerbDeps,
  { input, scopeKey }: Creation,
): Promise<Answer<StoredSession, CommonRefusal> | undefined> {
  const { clientRequestId } = input
  const earlier = clientRequestId && (await stores.requests.find(scopeKey, 0, clientRequestId))
  if (!earlier) return undefined
  if (earlier.digest !== digestOf(input)) return no(reusedRequestId)
  const { key, sessionId } = madeOf(earlier.result)
  // By its key: the id may be that of another session by now.
  const [session] = await stores.sessions.findMany([key])
  return session ? done(session) : no(notFound('session', sessionId))
}

async function seed({ sessions, clock, ids }: VerbDeps, creation: Creation, sessionId: SessionId): Promise<NewSession> {
  const { input, scopeKey, caller } = creation
  return newSession({
    key: await sessions.keys.next(),
    scopeKey,
    sessionId,
    generationId: input.generationId ?? asGenerationId(ids.uuid()),
    title: input.title ?? null,
    metadata: input.metadata ?? null,
    createdBy: caller.principal,
    at: clock.now(),
  })
}

function commitOf({ input, scopeKey }: Creation, session: NewSession): Commit {
  const { clientRequestId } = input
  const result = resultOf(session)
  const request: ClientRequest | undefined = clientRequestId
    ? { scopeKey, owner: 0, clientRequestId, digest: digestOf(input), result, createdAt: session.createdAt }
    : undefined
  return {
    scopeKey,
    created: [session],
    sessions: [],
    rollUps: [],
    rows: request ? [{ table: 'request', op: 'insert', row: request }] : [],
    events: [announceCreation(session)],
  }
}

const digestOf = ({ sessionId, generationId, title, metadata }: CreateSession): string =>
  digest({
    verb: 'createSession',
    sessionId: sessionId ?? null,
    generationId: generationId ?? null,
    title: title ?? null,
    metadata: metadata ?? null,
  })
