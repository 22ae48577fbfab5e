/**
 * Takes a run through its steps: a model call, then the tool calls that it asked for, until the model is done.
 *
 * Owns the ids of calls and the count of tool data. Invariants:
 * - A step's output and its open calls are durable before any of them is executed, every result before the next step.
 * - No more than `maxSteps` model calls are made, and none once the budget is used up. Calls of the last one are not
 *   executed: nobody would read the results.
 */
import { storable, utf8Length } from '../../kernel/text.ts'
import { DELEGATE } from '../../domain/delegation/input.ts'
import { outOfSteps, overflowed } from '../../domain/run/outcome.ts'
import type { Session } from '../../domain/session/session.ts'
import type { Effect, ToolCallInfo } from '../../domain/tool/call.ts'
import type { Model, StepPart } from '../../ports/model.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Tool } from '../../ports/tools.ts'
import type { OpenTool } from '../../domain/message/message.ts'
import { CallIds } from './call-ids.ts'
import { callTools, type CallToolsDeps } from './call-tools.ts'
import type { PartWriter } from './part-writer.ts'
import type { Past } from './past.ts'
import { pump } from './pump.ts'
import { readLog } from './read-log.ts'
import { RunEnd } from './run-end.ts'
import type { OpenCall } from './open-call.ts'

export interface GenerationDeps extends Omit<CallToolsDeps, 'spend'> {
  readonly stores: Pick<Stores, 'log' | 'executions' | 'sessions'>
  readonly session: Session
  readonly model: Model
  readonly tools: ReadonlyMap<string, Tool>
  readonly system: string | null
  readonly maxSteps: number
  readonly writer: PartWriter
  /** Steps of earlier attempts. */
  readonly stepsBefore: number
  readonly past: Past
}

/** Resolves when the model is done. What ends the last step waits in the writer then, for the run's last change. */
export async function generate(deps: GenerationDeps): Promise<void> {
  await new Generation(deps).run()
}

type Finish = Extract<StepPart, { type: 'finish' }>

interface Step {
  readonly reason: Finish['reason']
  readonly calls: readonly OpenCall[]
}

class Generation {
  readonly #deps: GenerationDeps
  readonly #callIds: CallIds
  #toolBytes: number

  constructor(deps: GenerationDeps) {
    this.#deps = deps
    this.#callIds = new CallIds(deps.past.callIds)
    this.#toolBytes = deps.past.toolBytes
  }

  async run(): Promise<void> {
    const { stepsBefore, past } = this.#deps
    // Calls that were begun get their results, also when it is too late for another step.
    if (past.open.every(isUntouched)) this.#check(stepsBefore)
    if (past.open.length > 0) await this.#call(past.open.map((part) => this.#reopened(part)))
    for (let steps = stepsBefore; ; ) {
      this.#check(steps)
      const { reason, calls } = await this.#step()
      if (reason !== 'continue' && calls.length === 0) return
      this.#check(++steps)
      if (calls.length > 0) await this.#call(calls)
    }
  }

  /** Throws `RunEnd` when the run may not go on. */
  #check(steps: number): void {
    const { maxSteps, budget } = this.#deps
    if (steps >= maxSteps) throw new RunEnd(outOfSteps(maxSteps))
    budget.check()
  }

  async #call(calls: readonly OpenCall[]): Promise<void> {
    await this.#deps.writer.flush()
    await callTools({ ...this.#deps, spend: (bytes) => this.#spend(bytes) }, calls)
    await this.#deps.budget.record()
  }

  async #step(): Promise<Step> {
    const { clock, stores, session, model, tools, system, signal, writer, run, budget, delegator } = this.#deps
    // Its calls may have ended although it was told to stop.
    signal.throwIfAborted()
    const log = await readLog(stores.log, session.key)
    const delegating = delegator.tool
    const offered = [...tools.values(), ...(delegating ? [delegating] : [])]
    const stream = model.stream({ system, log, tools: offered, signal })
    const calls: OpenCall[] = []
    let finish: Finish | undefined
    await pump(clock, { stream, signal }, (part) => {
      budget.heard()
      switch (part.type) {
        case 'start':
          return writer.open(part.block, part.kind)
        case 'delta':
          return writer.push(part.block, part.text)
        case 'end':
          return writer.close(part.block)
        case 'call':
          calls.push(this.#open(part))
          return undefined
        case 'finish':
          finish = part
          return undefined
      }
    })
    if (!finish) throw new Error('The model ended its stream without finishing.')
    const { output, usage, reason } = finish
    const ids = calls.length > 0 ? { calls: calls.map(({ info }) => info.toolCallId) } : {}
    budget.use(usage.totalTokens)
    writer.defer(budget.count())
    writer.defer({ type: 'endStep', run, output, ...ids, usage, at: clock.now() })
    // The last step's end and the run's are one change.
    if (reason === 'continue' || calls.length > 0) await writer.flush()
    return { reason, calls }
  }

  #open({ callId, toolName, input, problem }: Extract<StepPart, { type: 'call' }>): OpenCall {
    const delegating = toolName === DELEGATE ? this.#deps.delegator.tool : null
    const tool = delegating ?? this.#deps.tools.get(toolName) ?? null
    const effect = delegating ? 'child' : effectOf(tool)
    const info: ToolCallInfo = {
      toolCallId: this.#callIds.next(callId),
      providerCallId: storable(callId),
      toolName: storable(toolName),
      input,
      effect,
    }
    this.#spend(utf8Length(JSON.stringify(input)))
    const partIndex = this.#deps.writer.openCall(info)
    return { partIndex, info, tool: problem === null ? tool : null, problem, child: null, before: null }
  }

  /** A call that an earlier attempt has left. */
  #reopened({ partIndex, call: info, permissionId, child, state }: OpenTool): OpenCall {
    const tool = this.#deps.tools.get(info.toolName) ?? null
    return { partIndex, info, tool, problem: null, child, before: { state: state.kind, permissionId } }
  }

  #spend(bytes: number): void {
    const { maxToolBytes } = this.#deps.limits
    this.#toolBytes += bytes
    if (this.#toolBytes > maxToolBytes) throw new RunEnd(overflowed('bytes of tool data', maxToolBytes))
  }
}

const isUntouched = ({ state }: OpenTool): boolean => state.kind === 'pending' && state.begunBefore === undefined

function effectOf(tool: Tool | null): Effect {
  if (!tool || tool.readOnly) return 'none'
  return tool.idempotent ? 'repeatable' : 'once'
}
