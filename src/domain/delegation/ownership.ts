import type { QueueId } from '../../kernel/ids.ts'
import type { SubagentDefinition } from './definition.ts'
import type { Delegation } from './delegation.ts'
import type { Content } from '../session/content.ts'
import type { Session } from '../session/session.ts'

export interface Claim {
  /** The subagent's session. */
  readonly child: Pick<Session, 'key' | 'place'>
  /** The prompt. */
  readonly queueId: QueueId
  readonly delegation: Delegation
  /** The content of the parent as it is now; undefined when there is no such session any more. */
  readonly parent: Content | undefined
  readonly definitions: readonly SubagentDefinition[]
  readonly maxDepth: number
}

/** Why a prompt may not be executed for the call that delegated it; undefined while that call still owns it. */
export function whyDisowned(claim: Claim): string | undefined {
  const { parent } = claim
  if (!parent) return 'the session that delegated it does not exist any more'
  return whyUprooted(claim, parent) ?? whyOver(claim, parent)
}

/** What has become of the two sessions. */
function whyUprooted({ child: { place }, delegation, definitions, maxDepth }: Claim, { session }: Content): string | undefined {
  const isSame = session.generation.generationId === delegation.parentGeneration.generationId
  if (!isSame) return 'the session that delegated it was replaced'
  const isChild = place.parentKey === session.key && place.depth === session.place.depth + 1
  if (!isChild) return 'it is no child of the session that delegated it'
  if (place.depth > maxDepth) return 'subagents may not be as deep any more'
  return definitions.some(({ name }) => name === place.agent) ? undefined : 'there is no such subagent any more'
}

/** What has become of the run and its call. */
function whyOver({ child, queueId, delegation }: Claim, { run, open, entries }: Content): string | undefined {
  const { parentRunId, parentQueueId, toolCallId } = delegation
  const isCurrent = run?.runId === parentRunId && run.queueId === parentQueueId
  if (!isCurrent || !entries.some((entry) => entry.queueId === parentQueueId)) return 'the run that delegated it has ended'
  if (run.state.kind !== 'generating' && run.state.kind !== 'resolving') return 'the run that delegated it ends'
  if (run.state.aborting) return 'the run that delegated it is being stopped'
  const isWaiting = open.some(
    (part) =>
      part.kind === 'tool' &&
      part.call.toolCallId === toolCallId &&
      part.state.kind === 'running' &&
      part.child?.sessionKey === child.key &&
      part.child.queueId === queueId,
  )
  return isWaiting ? undefined : 'the call that delegated it has ended'
}
