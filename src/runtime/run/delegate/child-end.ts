import type { Child } from '../../../domain/delegation/delegation.ts'
import type { ChildEnd } from '../../../domain/delegation/result.ts'
import type { Stores } from '../../../ports/stores/stores.ts'

/** How the child's prompt ended, as it is stored; undefined while it has not. */
export async function childEnd(
  { queue, runs, messages }: Pick<Stores, 'queue' | 'runs' | 'messages'>,
  { sessionId, sessionKey, queueId }: Child,
): Promise<ChildEnd | undefined> {
  const [entry] = await queue.findMany([queueId])
  if (entry?.state.kind !== 'finished') return undefined
  const { status, error, runId } = entry.state
  const [run] = runId === null ? [] : await runs.findMany([runId])
  const parts = run ? await messages.parts([{ sessionKey, index: run.assistantMessageIndex }]) : []
  return { sessionId, status, error, parts, superseded: run?.superseded ?? [], model: run?.model ?? null }
}
