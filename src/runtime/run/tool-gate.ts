/**
 * Takes one tool call from what the model asked for to its result.
 *
 * Invariants:
 * - Nothing is executed before the policy, or a person, allowed it and the intent is durable.
 * - A call has exactly one result, which is durable before the model is asked again. What a tool answers after it was
 *   abandoned is ignored.
 * - The model sees outputs normalised and errors projected; raw errors go to the operator's log.
 */
import { AbortReason, LinkedController } from '../../kernel/abort.ts'
import { intentIdOf } from '../../kernel/ids.ts'
import type { Json } from '../../kernel/json.ts'
import { normalise } from '../../kernel/normalise.ts'
import { utf8Length } from '../../kernel/text.ts'
import {
  type Limits,
  MAX_TOOL_OUTPUT_DEPTH,
  MAX_TOOL_OUTPUT_ITEMS,
} from '../../domain/limits.ts'
import { type PolicyRule, verdictOf } from '../../domain/permission/policy.ts'
import type { ContentCommand, RunRef } from '../../domain/session/commands.ts'
import type { Session } from '../../domain/session/session.ts'
import {
  deniedBecause,
  invalidInput,
  outcomeUnknown,
  stopped,
  timedOut,
  type ToolResult,
} from '../../domain/tool/result.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Log } from '../../ports/telemetry.ts'
import { ToolError } from '../../ports/tool-error.ts'
import type { Tool, ToolCall } from '../../ports/tools.ts'
import type { Desk } from '../desk.ts'
import type { RunSlot } from '../run-slot.ts'
import type { Asker } from './asker.ts'
import type { Delegator } from './delegate/delegator.ts'
import type { OpenCall } from './open-call.ts'
import { type ErrorProjector, projectError } from './project-error.ts'
import { raced } from './raced.ts'
import { refusedBy } from './refused-by.ts'
import type { RunBudget } from './run-budget.ts'
import { RunLost } from './run-end.ts'
import { settled } from './settled.ts'
import { shown } from './shown.ts'

export interface ToolGateDeps {
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  readonly policies: readonly PolicyRule[]
  readonly errorProjector?: ErrorProjector
  readonly run: RunRef
  readonly session: Pick<Session, 'key'>
  /** What tools are told of the run. */
  readonly about: Omit<ToolCall, 'toolCallId' | 'signal'>
  readonly asker: Asker
  readonly delegator: Delegator
  readonly commit: (command: ContentCommand) => Promise<void>
  readonly stores: Pick<Stores, 'executions' | 'sessions'>
  readonly desk: Desk
  readonly slot: RunSlot
  readonly budget: RunBudget
  /** Whether the run was stopped here and goes on elsewhere. */
  readonly isDetached: () => boolean
  /** Counts bytes of tool data. Throws when the run has had too many. */
  readonly spend: (bytes: number) => void
}

/** Milliseconds after which it is asked again, before a call is executed, whether its run is still ours. */
const UNCHECKED_MS = 1_000

/** Resolves when the result is durable. Rejects when the run must not go on, also with the reason of an abort. */
export async function callTool(deps: ToolGateDeps, call: OpenCall, signal: AbortSignal): Promise<void> {
  await new Gate(deps, call, signal).pass()
}

class Gate {
  readonly #deps: ToolGateDeps
  readonly #call: OpenCall
  readonly #signal: AbortSignal

  constructor(deps: ToolGateDeps, call: OpenCall, signal: AbortSignal) {
    this.#deps = deps
    this.#call = call
    this.#signal = signal
  }

  async pass(): Promise<void> {
    if (this.#call.before?.state === 'unknown') return this.#reconciled()
    const { clock, commit, run } = this.#deps
    const { partIndex, info } = this.#call
    const delegated = info.effect === 'child' ? await this.#deps.delegator.perform(this.#call, this.#signal) : undefined
    const result = delegated?.result ?? (await this.#result())
    const childModel = delegated ? { childModel: delegated.model } : {}
    await commit({ type: 'endTool', run, partIndex, result, ...childModel, at: clock.now() })
    this.#deps.budget.heard()
    if (result.status === 'COMPLETED') this.#deps.spend(utf8Length(JSON.stringify(result.output)))
  }

  /** Waits until a person has found out what became of the call; that ends it. */
  async #reconciled(): Promise<void> {
    const { stores, desk, slot, session, run } = this.#deps
    const intentId = intentIdOf(run.runId, this.#call.partIndex)
    const found = desk.expectReconciliation(session.key, intentId)
    try {
      const [execution] = await stores.executions.findMany([intentId])
      if (execution?.state.kind === 'reconciled') return
      await slot.whileWaiting(this.#signal, raced(this.#signal, found))
    } finally {
      desk.forgetReconciliation(intentId)
    }
  }

  async #result(): Promise<ToolResult> {
    const { tool, problem, partIndex } = this.#call
    if (!tool) return invalidInput(problem ?? 'There is no such tool.')
    const input = await this.#checked(tool)
    if (!input.ok) return input.result
    const denied = await this.#denied(tool)
    if (denied) return denied
    const { clock, commit, run } = this.#deps
    this.#signal.throwIfAborted()
    const since = clock.monotonic()
    await commit({ type: 'beginTool', run, partIndex, at: clock.now() })
    if (clock.monotonic() - since > UNCHECKED_MS) await this.#expectCurrent()
    if (!this.#signal.aborted) return this.#executed(tool, input.input)
    // Told to stop while its intent was stored, it is known not to have happened.
    if (this.#call.info.effect !== 'once') this.#leaveIfDetached()
    return stopped
  }

  /** A process that was suspended meanwhile must not execute what another one takes for uncertain, or repeats. */
  async #expectCurrent(): Promise<void> {
    const { stores, session, run } = this.#deps
    const [stored] = await stores.sessions.findMany([session.key])
    if (stored?.epoch !== run.epoch) throw new RunLost('The run is executed elsewhere.')
  }

  async #checked(tool: Tool): Promise<{ ok: true; input: unknown } | { ok: false; result: ToolResult }> {
    try {
      const checked = await raced(this.#signal, tool.check(this.#call.info.input))
      if (checked.ok) return checked
      return { ok: false, result: invalidInput(shown(`The input is not valid: ${checked.message}`)) }
    } catch (error) {
      this.#signal.throwIfAborted()
      return { ok: false, result: this.#failed(error) }
    }
  }

  /** Why the call must not be executed, or undefined. */
  async #denied(tool: Tool): Promise<ToolResult | undefined> {
    const { policies, asker } = this.#deps
    const permissionId = this.#call.before?.permissionId
    if (permissionId) return refusedBy(await asker.recall(permissionId, this.#signal))
    const { toolName, toolCallId, input } = this.#call.info
    const { effect, message } = verdictOf(policies, { toolName, input, readOnly: tool.readOnly })
    if (effect === 'allow') return undefined
    if (effect === 'deny') return deniedBecause(message ?? 'A policy denies this call.')
    const description = `Call the tool ${toolName}`
    const ask = { kind: 'tool', description, toolCallId, rememberKey: toolName, metadata: { toolName, input } }
    const answer = await asker.ask(ask, { partIndex: this.#call.partIndex, signal: this.#signal })
    return refusedBy(answer)
  }

  async #executed(tool: Tool, input: unknown): Promise<ToolResult> {
    const { clock, limits, about } = this.#deps
    const { toolCallId, effect } = this.#call.info
    const timeoutMs = tool.timeoutMs ?? limits.toolTimeoutMs
    using execution = new LinkedController(this.#signal)
    const { signal } = execution
    const cancelTimeout = clock.after(timeoutMs, () => {
      execution.abort(new AbortReason('timeout', `The call took more than ${timeoutMs} ms.`))
    })
    const work = (async () => tool.execute(input, Object.freeze({ ...about, toolCallId, signal })))()
    const end = await settled(clock, { signal, graceMs: limits.abortDeadlineMs }, work)
    cancelTimeout()
    switch (end.kind) {
      case 'value':
        return this.#completed(end.value)
      case 'abandoned':
        this.#leaveIfDetached()
        return effect === 'none' ? this.#stopped(timeoutMs) : outcomeUnknown
      case 'error':
        if (signal.aborted && effect !== 'once') this.#leaveIfDetached()
        return signal.aborted ? this.#stopped(timeoutMs) : this.#failed(end.error)
    }
  }

  /** A call without a result is for whoever goes on with the run, as after a crash. */
  #leaveIfDetached(): void {
    if (this.#deps.isDetached()) this.#signal.throwIfAborted()
  }

  #stopped(timeoutMs: number): ToolResult {
    return this.#signal.aborted ? stopped : timedOut(timeoutMs)
  }

  #completed(value: unknown): ToolResult {
    const bytes = this.#deps.limits.maxToolOutputBytes
    const limits = { depth: MAX_TOOL_OUTPUT_DEPTH, items: MAX_TOOL_OUTPUT_ITEMS, bytes }
    const output: Json = normalise(value, limits).value
    return { status: 'COMPLETED', output }
  }

  #failed(error: unknown): ToolResult {
    const { log, run, errorProjector } = this.#deps
    if (error instanceof ToolError) {
      return { status: 'FAILED', error: { code: 'TOOL_FAILED', message: shown(error.message), source: 'tool' } }
    }
    log.warn({ err: error, runId: run.runId, tool: this.#call.info.toolName }, 'a tool failed')
    return { status: 'FAILED', error: projectError(error, 'tool', errorProjector) }
  }
}

