import type { Child } from '../../../domain/delegation/delegation.ts'
import type { ChildEnd } from '../../../domain/delegation/result.ts'
import type { Stores } from '../../../ports/stores/stores.ts'

const deletedWithIt: Omit<ChildEnd, 'sessionId'> = {
  status: 'CANCELLED',
  error: { code: 'ABORTED', message: 'Its session was deleted.', source: 'harness' },
  parts: [],
  superseded: [],
  model: null,
}

/** How the child's prompt ended, as it is stored, or with its session; undefined while it has not. */
export async function childEnd(
  { queue, runs, messages, sessions }: Pick<Stores, 'queue' | 'runs' | 'messages' | 'sessions'>,
  { sessionId, sessionKey, queueId }: Child,
): Promise<ChildEnd | undefined> {
  const [entry] = await queue.findMany([queueId])
  if (entry?.state.kind !== 'finished') {
    const [session] = await sessions.findMany([sessionKey])
    return session ? undefined : { sessionId, ...deletedWithIt }
  }
  const { status, error, runId } = entry.state
  const [run] = runId === null ? [] : await runs.findMany([runId])
  const parts = run ? await messages.parts([{ sessionKey, index: run.assistantMessageIndex }]) : []
  return { sessionId, status, error, parts, superseded: run?.superseded ?? [], model: run?.model ?? null }
}
