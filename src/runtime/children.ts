import { AbortReason } from '../kernel/abort.ts'
import type { QueueId } from '../kernel/ids.ts'
import type { Delegation } from '../domain/delegation/delegation.ts'
import type { SubagentDefinition } from '../domain/delegation/definition.ts'
import { whyDisowned } from '../domain/delegation/ownership.ts'
import type { Limits } from '../domain/limits.ts'
import type { Entry } from '../domain/prompt/entry.ts'
import type { Run } from '../domain/run/run.ts'
import type { Session } from '../domain/session/session.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Desk } from './desk.ts'
import { loadContent } from './load-content.ts'

export interface ChildrenDeps {
  readonly stores: Stores
  readonly subagents: readonly SubagentDefinition[]
  readonly limits: Limits
  readonly desk: Desk
}

/** A prompt that was delegated. */
export interface Delegated {
  readonly queueId: QueueId
  readonly delegation: Delegation
}

/** A run, and the call for which it is executed; null for what clients enqueue. */
export interface OwnedRun {
  readonly session: Session
  readonly run: Pick<Run, 'queueId'>
  readonly delegation: Delegation | null
}

/**
 * Whether prompts of subagents' sessions may be executed, and where.
 *
 * What is stored says whether the call that delegated a prompt still owns it. It is executed by the process in which that
 * call waits for it, and by no other: until it waits somewhere the prompt is left as it is.
 */
export class Children {
  readonly #deps: ChildrenDeps

  constructor(deps: ChildrenDeps) {
    this.#deps = deps
  }

  /** Whether a call of a run that is executed here waits for the prompt. */
  isAwaited({ queueId }: Pick<Entry, 'queueId'>): boolean {
    return this.#deps.desk.awaitsChild(queueId)
  }

  /** Why the call that delegated a prompt does not own it any more. Rejects as the stores do. */
  async whyDisowned(child: Pick<Session, 'key' | 'place'>, prompt: Delegated): Promise<string | undefined> {
    const { queueId, delegation } = prompt
    const { stores, subagents: definitions, limits } = this.#deps
    const parent = await loadContent(stores, delegation.parentKey)
    return whyDisowned({ child, queueId, delegation, parent, definitions, maxDepth: limits.maxSubagentDepth })
  }

  /** Nothing is done for a call that is over: rejects with the reason for which its run stops, or as the stores do. */
  async require({ session, run: { queueId }, delegation }: OwnedRun): Promise<void> {
    const why = delegation && (await this.whyDisowned(session, { queueId, delegation }))
    if (why) throw new AbortReason('parent', disowned(why))
  }
}

/** What a prompt ends with that nobody waits for any more. */
export const disowned = (why: string): string => `The prompt was delegated, and ${why}.`
