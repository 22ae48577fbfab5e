/**
 * Loads what decisions about a session's content need.
 *
 * The session's row is read first. Whatever changes its content afterwards raises its revision, so a decision about
 * rows that are newer than the row of the session fails at its compare-and-set and changes nothing. Rows that contradict
 * each other, because somebody changed the session meanwhile, are read again: what is decided about them without a
 * commit would never be found out.
 */
import { Fault } from '../kernel/fault.ts'
import type { SessionKey } from '../kernel/ids.ts'
import { isStreaming, type OpenPart, type Part, type ToolPartBody } from '../domain/message/message.ts'
import type { CallState } from '../domain/tool/call.ts'
import { isLive, type Run } from '../domain/run/run.ts'
import type { Content } from '../domain/session/content.ts'
import type { Session } from '../domain/session/session.ts'
import type { StoredSession } from '../ports/stores/sessions.ts'
import type { Stores } from '../ports/stores/stores.ts'

type ContentStores = Pick<Stores, 'sessions' | 'queue' | 'runs' | 'messages' | 'permissions'>

/** Each repetition is somebody else's success. */
const MAX_TRIES = 64

/**
 * The content of a session, or undefined when there is no such session. Fails as the stores do, and with a `Fault` when
 * its rows contradict each other again and again.
 */
export async function loadContent(stores: ContentStores, sessionKey: SessionKey): Promise<Content | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const content = await readContent(stores, sessionKey)
    if (!content || isCoherent(content)) return content
  }
  throw new Fault('store', `The rows of the session ${sessionKey} contradict each other.`)
}

/** What decisions rely on: a session runs while it has a run, and is idle while nothing waits. */
function isCoherent({ session: { work }, entries, run }: Content): boolean {
  if (work.kind === 'running') return run?.runId === work.runId && entries.some(({ queueId }) => queueId === run.queueId)
  return (work.kind === 'idle') === (entries.length === 0) && entries.every(({ state }) => state.kind === 'queued')
}

async function readContent(stores: ContentStores, sessionKey: SessionKey): Promise<Content | undefined> {
  const [stored] = await stores.sessions.findMany([sessionKey])
  if (!stored) return undefined
  const [entries, run] = await Promise.all([stores.queue.outstanding(sessionKey), liveRun(stores, stored)])
  const session = withoutTree(stored)
  if (!run) return { session, entries, run, open: [], permissions: [] }
  const [open, permissions] = await Promise.all([openParts(stores, run), stores.permissions.pending([sessionKey])])
  return { session, entries, run, open, permissions }
}

function withoutTree(stored: StoredSession): Session {
  const { tree: _tree, ...session } = stored
  return session
}

async function liveRun({ runs }: ContentStores, { key, work }: StoredSession): Promise<Run | null> {
  if (work.kind !== 'running') return null
  const run = await runs.find(key, work.run)
  return run && isLive(run) ? run : null
}

async function openParts({ messages }: ContentStores, run: Run): Promise<readonly OpenPart[]> {
  const parts = await messages.parts([{ sessionKey: run.sessionKey, index: run.assistantMessageIndex }])
  return parts.flatMap(openPart)
}

function openPart({ partIndex, status, body, startedAt, finishedAt }: Part): readonly OpenPart[] {
  if (finishedAt !== null || body.kind === 'attachment') return []
  if (isStreaming(body)) return [{ partIndex, kind: body.kind, startedAt }]
  const { toolCallId, providerCallId, toolName, input, effect, permissionId, child } = body
  const call = { toolCallId, providerCallId, toolName, input, effect }
  return [{ partIndex, kind: 'tool', startedAt, call, permissionId, child, state: callStateOf(status, body) }]
}

function callStateOf(status: Part['status'], { permissionId, begunAt }: ToolPartBody): CallState {
  if (status === 'UNCERTAIN' && begunAt !== null) return { kind: 'unknown', since: begunAt }
  if (status === 'RUNNING' && begunAt !== null) return { kind: 'running', since: begunAt }
  const before = begunAt === null ? {} : { begunBefore: begunAt }
  if (status === 'AWAITING_PERMISSION' && permissionId !== null) return { kind: 'awaiting', permissionId, ...before }
  return { kind: 'pending', ...before }
}
