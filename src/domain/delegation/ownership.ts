import type { SubagentDefinition } from './definition.ts'
import type { Delegation } from './delegation.ts'
import { abortOf } from '../run/run.ts'
import type { Content } from '../session/content.ts'
import type { Session } from '../session/session.ts'

export interface Claim {
  /** The subagent's session. */
  readonly child: Pick<Session, 'key' | 'place'>
  readonly delegation: Delegation
  /** The content of the parent as it is now; undefined when there is no such session any more. */
  readonly parent: Content | undefined
  readonly definitions: readonly SubagentDefinition[]
  readonly maxDepth: number
}

/** Why a prompt may not be executed for the call that delegated it; undefined while that call still owns it. */
export function whyDisowned({ child, delegation, parent, definitions, maxDepth }: Claim): string | undefined {
  if (!parent) return 'the session that delegated it does not exist any more'
  const { session, run, open, entries } = parent
  const { parentGeneration, parentRunId, parentQueueId, toolCallId } = delegation
  const { place } = child
  if (session.generation.generationId !== parentGeneration.generationId) return 'the session that delegated it was replaced'
  if (place.parentKey !== session.key || place.depth !== session.place.depth + 1) return 'it is no child of the session that delegated it'
  if (place.depth > maxDepth) return 'subagents may not be as deep any more'
  if (!definitions.some(({ name }) => name === place.agent)) return 'there is no such subagent any more'
  const isCurrent = run?.runId === parentRunId && run.queueId === parentQueueId
  if (!isCurrent || !entries.some(({ queueId }) => queueId === parentQueueId)) return 'the run that delegated it has ended'
  if (run.state.kind !== 'generating' && run.state.kind !== 'resolving') return 'the run that delegated it ends'
  if (abortOf(run)) return 'the run that delegated it is being stopped'
  const call = open.find((part) => part.kind === 'tool' && part.call.toolCallId === toolCallId)
  const isWaiting = call?.kind === 'tool' && call.state.kind === 'running' && call.child?.sessionKey === child.key
  return isWaiting ? undefined : 'the call that delegated it has ended'
}
