import type { QueueId, RunId, SessionId } from '../../../src/kernel/ids.ts'
import { errorOf } from '../../../src/domain/run/outcome.ts'
import { abortOf, type Run } from '../../../src/domain/run/run.ts'
import type { Asked, History } from '../history.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What is stored, as a client can name it. */
export interface Stored {
  readonly sessions: ReadonlyMap<SessionId, SessionState>
  /** The text of each prompt. */
  readonly texts: ReadonlyMap<QueueId, string>
}

/** Acknowledged ⇒ stored, once; refused or failed ⇒ not stored; unknown ⇒ at most once. */
export function expectHistory(history: History, stored: Stored): void {
  expectCreations(history, stored)
  expectPrompts(history, stored)
  for (const asked of history) expectStop(asked, stored)
}

function expectCreations(history: History, { sessions }: Stored): void {
  const creations = history.filter((asked) => asked.verb === 'create')
  const made = new Set<string>()
  for (const { sessionId, clientRequestId, fate } of creations) {
    if (fate.kind !== 'done') continue
    const stored = sessions.get(sessionId)?.session.generation.generationId
    same(stored, fate.value.generationId, `S40: an acknowledged session is stored (${sessionId})`)
    if (clientRequestId) made.add(clientRequestId)
  }
  for (const { clientRequestId = '', fate } of creations) {
    const isRefused = fate.kind === 'refused' && fate.code === 'VALIDATION_FAILED'
    holds(!isRefused || !made.has(clientRequestId), 'S42: a repeated creation gives the same session', creations)
  }
  for (const sessionId of sessions.keys()) {
    const asked = creations.filter((creation) => creation.sessionId === sessionId)
    const mayBe = asked.some(({ fate: { kind } }) => kind === 'done' || kind === 'pending' || kind === 'unknown')
    holds(mayBe, `S44: a creation that was refused or failed has stored nothing (${sessionId})`, asked)
  }
}

type Enqueued = Extract<Asked, { verb: 'enqueue' }>

function expectPrompts(history: History, { sessions, texts }: Stored): void {
  const stored = new Map<string, QueueId[]>()
  for (const { entries } of sessions.values()) {
    for (const { queueId } of entries) push(stored, texts.get(queueId) ?? 'nothing', queueId)
  }
  const asked = new Map<string, Enqueued[]>()
  for (const one of history) if (one.verb === 'enqueue') push(asked, one.input.text, one)
  for (const text of stored.keys()) holds(asked.has(text), 'C9: only what was asked for is stored', text)
  for (const [text, all] of asked) expectPrompt(text, all, stored.get(text) ?? [])
}

function expectPrompt(text: string, asked: readonly Enqueued[], stored: readonly QueueId[]): void {
  const acknowledged = asked.flatMap(({ fate }) => (fate.kind === 'done' ? [fate.value.queueId] : []))
  if (acknowledged.length > 0) {
    same(stored.length, 1, `R46: an acknowledged prompt is stored once (${text})`)
    holds(acknowledged.every((id) => id === stored[0]), `Q42: a repeated request is the same entry (${text})`, asked)
    return
  }
  const mayBe = asked.some(({ fate }) => fate.kind === 'pending' || fate.kind === 'unknown')
  holds(stored.length <= (mayBe ? 1 : 0), `Q43: a prompt that was refused or failed is not stored (${text})`, asked, stored)
}

/** Who was told that something stops can rely on it. */
function expectStop(asked: Asked, { sessions }: Stored): void {
  const state = sessions.get(asked.sessionId)
  if (asked.verb === 'cancel' && asked.fate.kind === 'done') expectCancelled(state, asked.queueId, asked.fate.value)
  if (asked.verb === 'abort' && asked.fate.kind === 'done') expectAborted(state, asked.fate.value)
}

function expectCancelled(state: SessionState | undefined, queueId: QueueId, wasInTime: boolean): void {
  const entry = state?.entries.find((candidate) => candidate.queueId === queueId)
  const run = state?.runs.find((candidate) => candidate.queueId === queueId)
  const isCancelled = entry?.state.kind === 'finished' && entry.state.status === 'CANCELLED'
  if (wasInTime) holds(isCancelled || isStopping(run) || wasRejected(run), 'Q44: a cancelled prompt stops', entry, run)
  else same(entry?.state.kind, 'finished', 'Q44: only a prompt that has finished is too late to be cancelled')
}

function expectAborted(state: SessionState | undefined, runId: RunId | null): void {
  if (runId === null) return
  const run = state?.runs.find((candidate) => candidate.runId === runId)
  const isCancelled = run?.state.kind === 'finished' && run.state.outcome.status === 'CANCELLED'
  holds(isCancelled || isStopping(run) || wasRejected(run), 'R4: an aborted run ends cancelled', run)
}

/** It was to stop already, as a person had rejected a request of it. */
const wasRejected = (run: Run | undefined): boolean =>
  run?.state.kind === 'finished' && errorOf(run.state.outcome)?.code === 'PERMISSION_REJECTED'

const isStopping = (run: Run | undefined): boolean => run !== undefined && abortOf(run) !== null

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key) ?? []
  values.push(value)
  map.set(key, values)
}
