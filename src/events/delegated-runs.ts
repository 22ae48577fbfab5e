import type { Run } from '../domain/run/run.ts'
import type { MessageStore } from '../ports/stores/messages.ts'
import type { QueueStore } from '../ports/stores/queue.ts'
import type { RunStore } from '../ports/stores/runs.ts'

export interface DelegatedRunsStores {
  readonly runs: Pick<RunStore, 'findMany'>
  readonly messages: Pick<MessageStore, 'parts'>
  readonly queue: Pick<QueueStore, 'findMany'>
}

/**
 * The runs to which calls of a run have delegated, and those to which these have, level by level, in the order of the calls.
 * A call whose child has not begun yet has none. Three reads for each level.
 */
export async function delegatedRuns(stores: DelegatedRunsStores, run: Run): Promise<readonly Run[]> {
  const found: Run[] = []
  for (let level: readonly Run[] = [run]; level.length > 0; ) {
    level = await runsRightBelow(stores, level)
    found.push(...level)
  }
  return found
}

async function runsRightBelow({ runs, messages, queue }: DelegatedRunsStores, level: readonly Run[]): Promise<readonly Run[]> {
  const answers = level.map(({ sessionKey, assistantMessageIndex: index }) => ({ sessionKey, index }))
  const parts = await messages.parts(answers)
  const prompts = parts.flatMap(({ body }) => (body.kind === 'tool' && body.child ? [body.child.queueId] : []))
  if (prompts.length === 0) return []
  const entries = new Map((await queue.findMany(prompts)).map(({ queueId, state }) => [queueId, state]))
  const begun = prompts.flatMap((queueId) => {
    const state = entries.get(queueId)
    return state && state.kind !== 'queued' && state.runId !== null ? [state.runId] : []
  })
  const found = new Map((await runs.findMany(begun)).map((run) => [run.runId, run]))
  return begun.flatMap((runId) => found.get(runId) ?? [])
}
