/**
 * Makes the one change in which a call gets its child: the child's session, or its next prompt, and the link to it on the
 * call, all or nothing. What it depends on is read when the change is planned, and again after every conflict.
 */
import { asGenerationId, asQueueId, type QueueId, type SessionId, type SessionKey } from '../../../kernel/ids.ts'
import { acquire, type Acquisition, type AcquisitionRefusal, type Candidate } from '../../../domain/delegation/acquire.ts'
import type { Child, Delegation } from '../../../domain/delegation/delegation.ts'
import type { SubagentDefinition } from '../../../domain/delegation/definition.ts'
import type { DelegateInput } from '../../../domain/delegation/input.ts'
import type { Limits } from '../../../domain/limits.ts'
import type { Entry } from '../../../domain/prompt/entry.ts'
import { bytesOf, type Prompt } from '../../../domain/prompt/prompt.ts'
import type { Run } from '../../../domain/run/run.ts'
import { announceCreation } from '../../../domain/scope/announce-creation.ts'
import { newSession } from '../../../domain/scope/new-session.ts'
import { budgetOf } from '../../../domain/run/budget.ts'
import type { Enqueue } from '../../../domain/session/commands.ts'
import type { Content } from '../../../domain/session/content.ts'
import { decideContent } from '../../../domain/session/decide.ts'
import { prefixesOf, sequencesOf, type Session } from '../../../domain/session/session.ts'
import type { NewSession } from '../../../domain/session/writes.ts'
import { noUsage } from '../../../domain/run/usage.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Ids } from '../../../ports/ids.ts'
import type { Stores } from '../../../ports/stores/stores.ts'
import { commitOf } from '../../commit-of.ts'
import { loadContent } from '../../load-content.ts'
import type { RecoveryPolicy } from '../../recovery-policy.ts'
import type { Beside, Plan } from '../../session-actor.ts'
import { StoreFailure } from '../../../ports/stores/failure.ts'

export interface AcquireDeps {
  readonly stores: Stores
  readonly clock: Clock
  readonly ids: Ids
  readonly limits: Limits
  readonly subagents: readonly SubagentDefinition[]
  readonly recovery: RecoveryPolicy
  readonly nextKey: () => Promise<SessionKey>
  readonly run: Run
}

export interface Wanted {
  readonly partIndex: number
  readonly toolCallId: string
  readonly input: DelegateInput
  readonly definition: SubagentDefinition
  readonly childId: SessionId
  readonly acquired: ReadonlyMap<SessionId, string>
}

export type Acquired = { readonly kind: 'refused'; readonly refusal: AcquisitionRefusal }

export class ChildAcquisition {
  readonly #deps: AcquireDeps
  readonly #wanted: Wanted
  readonly #queueId: QueueId
  #child: Child | undefined

  constructor(deps: AcquireDeps, wanted: Wanted) {
    this.#deps = deps
    this.#wanted = wanted
    this.#queueId = asQueueId(deps.ids.uuid())
  }

  /** Whether that child's prompt is a new one. */
  get isNew(): boolean {
    return this.#child?.queueId === this.#queueId
  }

  /** The child that the newest plan links. */
  get child(): Child | undefined {
    return this.#child
  }

  async plan(parent: Content): Promise<Plan<Acquired>> {
    this.#child = undefined
    const acquisition = await this.#decide(parent)
    switch (acquisition.kind) {
      case 'refused':
        return { kind: 'answer', value: acquisition }
      case 'reattach':
        return this.#linked(await this.#sessionOf(acquisition.entry), acquisition.entry.queueId)
      case 'create':
        return this.#created(parent)
      case 'resume':
        return this.#resumed(parent, acquisition.candidate)
    }
  }

  async #decide({ session }: Content): Promise<Acquisition> {
    const { stores, subagents: definitions, limits, recovery, run } = this.#deps
    const { childId, input, acquired, toolCallId } = this.#wanted
    const [line, found] = await Promise.all([
      stores.sessions.findBySequence(session.scopeKey, sequencesOf(session.place.path)),
      stores.sessions.find(session.scopeKey, childId),
    ])
    const views = found && (await stores.queue.views([found.key], 1))
    return acquire({
      parent: session,
      runId: run.runId,
      toolCallId,
      agent: input.subagentType,
      childId,
      by: input.taskId === undefined ? 'origin' : 'taskId',
      existing: found && { session: found, entries: views?.get(found.key) ?? [] },
      line: line.toSorted((a, b) => a.place.depth - b.place.depth),
      acquired,
      definitions,
      maxDepth: limits.maxSubagentDepth,
      recovery,
    })
  }

  async #created(parent: Content): Promise<Plan<Acquired>> {
    const { nextKey, ids, clock } = this.#deps
    const { definition, childId, toolCallId } = this.#wanted
    const seed = {
      key: await nextKey(),
      scopeKey: parent.session.scopeKey,
      sessionId: childId,
      generationId: asGenerationId(ids.uuid()),
      title: `Subagent: ${definition.name}`,
      metadata: null,
      createdBy: this.#principalOf(parent),
      at: clock.now(),
    }
    const origin = { parentRunId: this.#deps.run.runId, parentToolCallId: toolCallId }
    const session = newSession(seed, { parent: parent.session, agent: definition.name, origin })
    const prompted = this.#prompted(parent, unborn(session))
    if (prompted.kind === 'refused') return { kind: 'answer', value: prompted }
    const { commit, after } = commitOf(unborn(session), prompted.events)
    const { updatedAt, work, next } = after.session
    const path = parent.session.place.path
    const growth = { scopeKey: seed.scopeKey, paths: prefixesOf(path), usage: noUsage, descendants: 1 }
    return this.#linked(session, this.#queueId, {
      created: [{ ...session, updatedAt, work, next }],
      sessions: [],
      rollUps: [growth],
      rows: commit.rows,
      events: [announceCreation(session), ...commit.events],
    })
  }

  async #resumed(parent: Content, { session }: Candidate): Promise<Plan<Acquired>> {
    const content = await loadContent(this.#deps.stores, session.key)
    if (!content) throw new StoreFailure('conflict', 'The child has just been deleted.')
    const prompted = this.#prompted(parent, content)
    if (prompted.kind === 'refused') return { kind: 'answer', value: prompted }
    const { commit } = commitOf(content, prompted.events)
    return this.#linked({ ...session, generationId: session.generation.generationId }, this.#queueId, commit)
  }

  #linked(
    { key: sessionKey, sessionId, generationId }: Pick<NewSession, 'key' | 'sessionId' | 'generationId'>,
    queueId: QueueId,
    beside?: Beside,
  ): Plan<Acquired> {
    const { clock, run: { runId, epoch } } = this.#deps
    const { partIndex } = this.#wanted
    const child: Child = { sessionKey, sessionId, generationId, queueId, model: null }
    this.#child = child
    const run = { runId, epoch }
    const at = clock.now()
    const commands = [
      { type: 'beginTool', run, partIndex, at },
      { type: 'delegateTool', run, partIndex, child, at },
    ] as const
    return { kind: 'change', commands, ...(beside && { beside }) }
  }

  /** The task as the next prompt of the child. */
  #prompted(parent: Content, child: Content) {
    const decision = decideContent(child, this.#enqueue(parent))
    if (decision.kind === 'accepted') return decision
    const refusal = decision.kind === 'refused' ? decision.refusal : undefined
    if (refusal?.code === 'SESSION_BUSY' || refusal?.code === 'VALIDATION_FAILED') return { kind: 'refused', refusal } as const
    throw new StoreFailure('conflict', 'The child takes no prompt.')
  }

  #enqueue(parent: Content): Enqueue {
    const { run, limits, clock } = this.#deps
    const prompt = this.#prompt()
    return {
      type: 'enqueue',
      queueId: this.#queueId,
      prompt,
      bytes: bytesOf(prompt),
      whenBusy: 'REJECT',
      scopeId: run.scopeId,
      clientRequestId: null,
      delegation: this.#delegation(parent.session),
      by: this.#principalOf(parent),
      limits,
      at: clock.now(),
    }
  }

  #prompt(): Prompt {
    const { input, definition } = this.#wanted
    const { modelHint = null, system = null, maxSteps = null, budget = {} } = definition
    return { text: input.prompt, attachments: [], options: { modelHint, system, maxSteps, budget: budgetOf(budget) } }
  }

  #delegation({ key, sessionId, generation }: Session): Delegation {
    const { runId, queueId } = this.#deps.run
    return {
      parentKey: key,
      parentSessionId: sessionId,
      parentGeneration: generation,
      parentQueueId: queueId,
      parentRunId: runId,
      toolCallId: this.#wanted.toolCallId,
    }
  }

  /** Whoever prompted the parent. */
  #principalOf({ session, entries }: Content): string {
    return entries.find(({ queueId }) => queueId === this.#deps.run.queueId)?.createdBy ?? session.createdBy
  }

  async #sessionOf({ sessionKey }: Entry): Promise<Pick<NewSession, 'key' | 'sessionId' | 'generationId'>> {
    const [session] = await this.#deps.stores.sessions.findMany([sessionKey])
    if (!session) throw new StoreFailure('conflict', 'The child has just been deleted.')
    return { key: session.key, sessionId: session.sessionId, generationId: session.generation.generationId }
  }
}

/** The content of a session that is about to be created. The store gives it its place and its number. */
function unborn({ generationId, place: { parentPath: _parentPath, ...place }, ...session }: NewSession): Content {
  const standing = { generation: { generationId, generationSequence: 0 }, place: { ...place, path: '' } }
  return { session: { ...session, ...standing }, entries: [], run: null, open: [], permissions: [] }
}
