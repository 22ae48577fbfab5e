/**
 * Executes a run's calls of `delegate`.
 *
 * Owns how many there were and which children they have acquired, over all attempts of the run. Invariants:
 * - Nobody is asked, and nothing is made, for a call that is not valid.
 * - A call ends only after its child's prompt has: by itself, or because it was stopped with the call. The wait holds no slot.
 * - A call that has a child never gets another one, and never asks again.
 */
import { AbortReason } from '../../../kernel/abort.ts'
import { asSessionId, type SessionId } from '../../../kernel/ids.ts'
import { canonicalJson, type JsonObject } from '../../../kernel/json.ts'
import { utf8Length } from '../../../kernel/text.ts'
import { unknownAgent } from '../../../domain/delegation/acquire.ts'
import { childIdOf } from '../../../domain/delegation/child-id.ts'
import type { Child } from '../../../domain/delegation/delegation.ts'
import type { SubagentDefinition } from '../../../domain/delegation/definition.ts'
import { checkDelegation, DELEGATE, type DelegateInput } from '../../../domain/delegation/input.ts'
import { resultOf } from '../../../domain/delegation/result.ts'
import { MAX_DELEGATION_METADATA_BYTES } from '../../../domain/limits.ts'
import { type PolicyRule, verdictOf } from '../../../domain/permission/policy.ts'
import type { AbortRequest, ModelIdentity } from '../../../domain/run/run.ts'
import type { Session } from '../../../domain/session/session.ts'
import { deniedBecause, invalidInput, type ToolResult } from '../../../domain/tool/result.ts'
import type { Tool } from '../../../ports/tools.ts'
import type { Log } from '../../../ports/telemetry.ts'
import { StoreFailure } from '../../../ports/stores/failure.ts'
import type { ChildNews, Desk } from '../../desk.ts'
import type { RunSlot } from '../../run-slot.ts'
import type { Plan } from '../../session-actor.ts'
import type { Content } from '../../../domain/session/content.ts'
import { isLeftAsItIs } from '../aborted-by.ts'
import { isOurs } from '../is-ours.ts'
import type { Asker } from '../asker.ts'
import type { Past } from '../past.ts'
import { raced } from '../raced.ts'
import { refusedBy } from '../refused-by.ts'
import { shown } from '../shown.ts'
import type { OpenCall } from '../open-call.ts'
import { type AcquireDeps, type Acquired, ChildAcquisition, type Wanted } from './acquire-child.ts'
import { childEnd } from './child-end.ts'
import type { ChildWork } from './child-work.ts'
import { delegateTool } from './delegate-tool.ts'

export interface DelegatorDeps extends Omit<AcquireDeps, 'nextKey'> {
  readonly log: Log
  readonly policies: readonly PolicyRule[]
  readonly desk: Desk
  readonly slot: RunSlot
  readonly asker: Asker
  readonly work: ChildWork
  readonly session: Session
  /** What the application's resolver gave for the scope of the run; its children use it as well. */
  readonly context: unknown
  readonly past: Pick<Past, 'delegations' | 'children'>
  /** Changes the run's session. Rejects when the run is being aborted, is no longer ours, or the store fails. */
  readonly change: <T>(plan: (content: Content) => Promise<Plan<T>>) => Promise<T | undefined>
}

export interface Delegated {
  readonly result: ToolResult
  /** The model that the child had. */
  readonly model: ModelIdentity | null
}

const without = (result: ToolResult): Delegated => ({ result, model: null })

export class Delegator {
  readonly #deps: DelegatorDeps
  /** The children that calls of the run have acquired, and which call each. */
  readonly #acquired: Map<SessionId, string>
  #used: number

  constructor(deps: DelegatorDeps) {
    this.#deps = deps
    this.#acquired = new Map(deps.past.children)
    this.#used = deps.past.delegations
  }

  /** What the model is told of delegating; null when it may not. */
  get tool(): Tool | null {
    const { subagents, session, limits } = this.#deps
    if (subagents.length === 0 || session.place.depth >= limits.maxSubagentDepth) return null
    const own = subagents.find(({ name }) => name === session.place.agent)?.tools
    return own && !own.includes(DELEGATE) ? null : delegateTool(subagents)
  }

  /** Resolves when the call may end. Rejects when the run must not go on; then its child has ended, or will with its run. */
  async perform(call: OpenCall, signal: AbortSignal): Promise<Delegated> {
    this.#used++
    const { child: earlier } = call
    if (earlier) return this.#ended(earlier, signal, () => this.#deps.work.takeUp(earlier, this.#deps.context))
    const checked = this.#checked(call)
    if (!checked.ok) return without(invalidInput(shown(checked.message)))
    const wanted = await this.#wanted(call, checked)
    const bytes = utf8Length(canonicalJson(metadataOf(wanted)))
    if (bytes > MAX_DELEGATION_METADATA_BYTES) return without(invalidInput(tooLarge(bytes)))
    const denied = await this.#denied(call, wanted, signal)
    if (denied) return without(denied)
    return this.#acquire(wanted, signal)
  }

  #checked({ problem, info }: OpenCall): Checked {
    const { limits, subagents } = this.#deps
    const { maxSubagentCallsPerRun: most } = limits
    if (this.#used > most) return { ok: false, message: `The run has delegated ${most} times, and may not any more.` }
    if (problem !== null) return { ok: false, message: problem }
    const checked = checkDelegation(info.input)
    if (!checked.ok) return { ok: false, message: `The input is not valid: ${checked.message}` }
    const { subagentType } = checked.input
    const definition = subagents.find(({ name }) => name === subagentType)
    return definition ? { ok: true, input: checked.input, definition } : { ok: false, message: unknownAgent(subagentType, subagents).message }
  }

  async #wanted({ partIndex, info: { toolCallId } }: OpenCall, { input, definition }: Valid): Promise<Wanted> {
    const { stores, session, run } = this.#deps
    const [scope] = await stores.scopes.findMany([session.scopeKey])
    if (!scope) throw new StoreFailure('fatal', `There is no scope ${session.scopeKey}.`)
    const origin = { storageKey: scope.storageKey, parentSessionId: session.sessionId, parentRunId: run.runId, toolCallId }
    const childId = input.taskId === undefined ? childIdOf(origin) : asSessionId(input.taskId)
    return { partIndex, toolCallId, input, definition, childId, acquired: this.#acquired }
  }

  /** Why the call must not be executed, or undefined. There is one question, and a rule for `delegate` decides it first. */
  async #denied({ before, partIndex, info }: OpenCall, wanted: Wanted, signal: AbortSignal): Promise<ToolResult | undefined> {
    const { asker, policies } = this.#deps
    if (before?.state === 'running') return undefined
    if (before?.permissionId) return refusedBy(await asker.recall(before.permissionId, signal))
    const { toolName, toolCallId, input } = info
    const metadata = metadataOf(wanted)
    const { effect, message } = verdictOf(policies, { toolName, input, readOnly: false })
    if (effect === 'allow') return undefined
    if (effect === 'deny') return deniedBecause(message ?? 'A policy denies this call.')
    const { subagentType: agent, description: task } = wanted.input
    const description = `Delegate to the subagent ${agent}: ${task}`
    return refusedBy(await asker.ask({ kind: 'subagent.start', description, toolCallId, metadata }, { partIndex, signal }))
  }

  async #acquire(wanted: Wanted, signal: AbortSignal): Promise<Delegated> {
    const { work, context, change } = this.#deps
    const acquisition = new ChildAcquisition({ ...this.#deps, nextKey: () => work.nextKey() }, wanted)
    const answer = await change(async (content) => {
      const plan = await acquisition.plan(content)
      // A run that is told to stop begins nothing any more.
      signal.throwIfAborted()
      return plan
    })
    if (answer) return without({ status: 'FAILED', error: { ...errorOf(answer), source: 'harness' } })
    const { child, isNew } = acquisition
    if (!child) throw new StoreFailure('conflict', 'The call got no child.')
    this.#acquired.set(child.sessionId, wanted.toolCallId)
    return this.#ended(child, signal, () => (isNew ? work.begin(child, context) : work.takeUp(child, context)))
  }

  /** Waits for the end of the child's prompt. Told to stop, it stops the child first. */
  async #ended(child: Child, signal: AbortSignal, start: () => Promise<void>): Promise<Delegated> {
    const { desk, slot, stores, recovery, work, session, run } = this.#deps
    const news = desk.expectChild(child)
    try {
      if (!(await childEnd(stores, child))) {
        await start()
        await slot.whileWaiting(signal, raced(signal, this.#done(child, news)))
      }
    } catch (error) {
      if (isLeftAsItIs(signal, recovery) || !(await isOurs(stores, session.key, run))) throw error
      await this.#stop(child, signal.aborted ? signal.reason : error)
      await this.#over(child, news)
    } finally {
      if (news.forget()) work.forget(child)
    }
    const end = await childEnd(stores, child)
    if (end) return { result: resultOf(end), model: end.model }
    signal.throwIfAborted()
    throw new StoreFailure('notCommitted', 'How the child ended could not be stored.')
  }

  /** Like `over`; but where nothing begins any more, a child that has not is left to whatever tells the run to stop. */
  async #done(child: Child, news: ChildNews): Promise<void> {
    const { work, session } = this.#deps
    const hasEnded = await this.#over(child, news)
    if (!hasEnded && work.isRefused(session.scopeKey)) await new Promise<never>(() => undefined)
  }

  /** Resolves when the child's prompt has ended, to true, or when nothing here will end it. */
  async #over(child: Child, news: ChildNews): Promise<boolean> {
    for (;;) {
      const next = news.next()
      // While the store cannot say it, what is under way here does.
      const end = await childEnd(this.#deps.stores, child).catch(() => undefined)
      if (end || !this.#deps.work.isUnderWay(child)) return end !== undefined
      await next
    }
  }

  /** Rejects when nothing here will end the child's prompt: then it is ended as soon as somebody looks at its session. */
  async #stop(child: Child, reason: unknown): Promise<void> {
    const { work, log, clock, run } = this.#deps
    const request: AbortRequest = { kind: 'parent', message: messageOf(reason), by: 'harness', at: clock.now() }
    try {
      await work.stop(child, request)
    } catch (error) {
      log.error({ err: error, runId: run.runId, childSessionId: child.sessionId }, 'a child could not be stopped')
      throw reason
    }
  }
}

type Checked = Valid | { readonly ok: false; readonly message: string }

interface Valid {
  readonly ok: true
  readonly input: DelegateInput
  readonly definition: SubagentDefinition
}

function metadataOf({ input: { subagentType: agent, description, taskId }, childId: childSessionId }: Wanted): JsonObject {
  return { agent, description, childSessionId, ...(taskId !== undefined && { taskId }) }
}

const tooLarge = (bytes: number): string =>
  `The input is not valid: what a person is told of it has ${bytes} UTF-8 bytes, and may have ${MAX_DELEGATION_METADATA_BYTES}.`

const errorOf = ({ refusal: { code, message } }: Acquired) => ({ code, message: shown(message) })

/** The reason of the run that delegated, or a generic one when it was not told to stop but failed. */
function messageOf(reason: unknown): string {
  const isTold = reason instanceof AbortReason && reason.kind !== 'failed'
  return isTold ? reason.message : 'The run that delegated this prompt failed.'
}
